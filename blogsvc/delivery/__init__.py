"""Operations on deliveries: preview, send, handle the outcome, report the status, and check the copies later."""
