# frozen_string_literal: true

require "date"
require "json"
require "net/http"
require "openssl"
require "pathname"
require "securerandom"
require "time"
require "uri"
require "zlib"

require_relative "blogsvc/version"
require_relative "blogsvc/errors"
require_relative "blogsvc/api_errors"
require_relative "blogsvc/not_given"
require_relative "blogsvc/encoder"
require_relative "blogsvc/record"
require_relative "blogsvc/response"
require_relative "blogsvc/raw_response"
require_relative "blogsvc/credentials"
require_relative "blogsvc/options"
require_relative "blogsvc/multipart"
require_relative "blogsvc/request"
require_relative "blogsvc/http_client"
require_relative "blogsvc/retry_policy"
require_relative "blogsvc/attempt_log"
require_relative "blogsvc/requestor"
require_relative "blogsvc/page"
require_relative "blogsvc/sse_parser"
require_relative "blogsvc/event_stream"
require_relative "blogsvc/resource"
require_relative "blogsvc/polling"
require_relative "blogsvc/resources"
require_relative "blogsvc/client"
require_relative "blogsvc/webhook"

# The official Ruby client for blogsvc.
#
#     client = Blogsvc::Client.new("bsk_...", "https://blog.example.org")
#     post = client.posts.create(title: "Hello, world", content: "...")
#     client.posts.publish(post.id, wait: 20)
module Blogsvc
end
