# frozen_string_literal: true

# Generated from the API's document by `make clients`.

module Blogsvc
  module Resources
    # Pictures that are uploaded once and shown by any number of posts.
    #
    # The fields of its answers:
    #
    # - Media: `id`, `url`, `filename`, `type`, `width`, `height`, `bytes`, `alt`, `sizes`, `markdown`, `created_at`
    # - Size: `width`, `height`, `url`, `bytes`
    class Media < Resource
      # Upload a picture: JPEG, PNG, GIF, WebP or AVIF, up to 20 MiB and 50 megapixels.
      #
      # It needs the scope `media:write`.
      #
      # @param file [String, Pathname, #read] its path, or what to read it from
      # @param filename [String, nil] what it is called; by default as its path says
      # @param alt [String]
      # @param idempotency_key [String, nil] names this request; made anew unless given
      # @return [Record] a Media
      # @raise [APIError] among others {InvalidError}, {PermissionDeniedError}, {RateLimitError}
      def upload(file, filename: nil, alt: NOT_GIVEN, idempotency_key: nil)
        upload_file("/media", file, filename, { alt: }, idempotency_key:)
      end

      # List the pictures, newest first.
      #
      # `q` looks in the file's name and in `alt`.
      #
      # It needs the scope `posts:read`.
      #
      # @param limit [Integer] how many to a page
      # @param cursor [String] `next_cursor` of the page before
      # @param show [String] all, those without a text for who cannot see them, or those that no post shows; one of
      #   `all`, `undescribed`, `unused`
      # @param q [String] words, "quoted phrases", and -what is not wanted
      # @return [Page] its rows: Media
      # @raise [APIError] among others {InvalidError}, {PermissionDeniedError}, {RateLimitError}
      def list(limit: NOT_GIVEN, cursor: NOT_GIVEN, show: NOT_GIVEN, q: NOT_GIVEN)
        page("GET", "/media", query: { limit:, cursor:, show:, q: })
      end

      # Read what is known of a picture.
      #
      # It needs the scope `posts:read`.
      #
      # @param media_id [String] the id of a media
      # @param if_none_match [String, nil] an ETag: nil is answered where it is the same still
      # @return [Record, nil] a Media
      # @raise [APIError] among others {NotFoundError}, {PermissionDeniedError}, {RateLimitError}
      def get(media_id, if_none_match: nil)
        call("GET", "/media/#{segment(media_id)}", if_none_match:)
      end

      # Say what a picture shows, to those who cannot see it.
      #
      # It needs the scope `media:write`.
      #
      # @param media_id [String] the id of a media
      # @param alt [String, nil] nil clears it
      # @param if_match [String, nil] an ETag: nothing is done where it was changed since
      # @return [Record] a Media
      # @raise [APIError] among others {NotFoundError}, {InvalidError}, {PreconditionFailedError},
      #   {PermissionDeniedError}, {RateLimitError}
      def update(media_id, alt: NOT_GIVEN, if_match: nil)
        call("PATCH", "/media/#{segment(media_id)}", body: { alt: }, if_match:)
      end

      # Delete a picture that no post shows, or with `force` any.
      #
      # It needs the scope `media:write`.
      #
      # @param media_id [String] the id of a media
      # @param force [Boolean] even if a post shows it
      # @param if_match [String, nil] an ETag: nothing is done where it was changed since
      # @return [nil]
      # @raise [APIError] among others {NotFoundError}, {InvalidError}, {PreconditionFailedError},
      #   {PermissionDeniedError}, {RateLimitError}
      def delete(media_id, force: NOT_GIVEN, if_match: nil)
        call("DELETE", "/media/#{segment(media_id)}", query: { force: }, if_match:)
      end
    end
  end
end
