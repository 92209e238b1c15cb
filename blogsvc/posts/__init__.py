"""Operations on posts: edit, validate, schedule, publish and list. Each runs in one transaction.

None of them uses the network or Flask.
"""
