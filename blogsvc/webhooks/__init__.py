"""Operations on webhooks: manage subscriptions, build the payloads and deliver them."""
