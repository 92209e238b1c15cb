"""Operations on media: the images that authors upload."""
