"""Operations on users and access: accounts, sessions, two-factor codes, passkeys, API keys and the first-run setup."""
