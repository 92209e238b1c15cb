# frozen_string_literal: true

# Generated from the API's document by `make clients`.

require_relative "resources/analytics"
require_relative "resources/deliveries"
require_relative "resources/events"
require_relative "resources/keys"
require_relative "resources/media"
require_relative "resources/platforms"
require_relative "resources/posts"
require_relative "resources/webhooks"

module Blogsvc
  # What a client can be asked for.
  module Resources
    # How posts did, on our own blog and elsewhere.
    # @return [Analytics]
    def analytics = Analytics.new(@sender)

    # How one post fares at one destination, and what a person may do about it.
    # @return [Deliveries]
    def deliveries = Deliveries.new(@sender)

    # What happened, as a list and as a stream.
    # @return [Events]
    def events = Events.new(@sender)

    # A key with `keys:write` manages those that have no more than it has itself.
    # @return [Keys]
    def keys = Keys.new(@sender)

    # Pictures that are uploaded once and shown by any number of posts.
    # @return [Media]
    def media = Media.new(@sender)

    # What can be connected, and what is. Secrets go in, and never come out.
    # @return [Platforms]
    def platforms = Platforms.new(@sender)

    # What is written here, and goes out here and elsewhere when its time has come.
    # @return [Posts]
    def posts = Posts.new(@sender)

    # Subscribers to events.
    # @return [Webhooks]
    def webhooks = Webhooks.new(@sender)

    # The key that is asking.
    #
    # Its scopes and its limits, in calls a minute. A simple way to see whether a key is valid.
    #
    # @return [Record] a Me
    # @raise [APIError] among others {RateLimitError}
    def me
      @sender.call(Request.new("GET", "/me"))
    end
  end
end
