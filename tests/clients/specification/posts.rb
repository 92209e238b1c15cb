# frozen_string_literal: true

# All operations of the specification with Ruby's standard library. It needs KEY, BASE and PLATFORM.
require "json"
require "net/http"
require "time"

def call(method, path, body = nil)
  uri = URI("#{ENV.fetch("BASE")}/api/v1#{path}")
  request = Net::HTTP.const_get(method).new(uri)
  request["Authorization"] = "Bearer #{ENV.fetch("KEY")}"
  request["Content-Type"] = "application/json"
  request.body = JSON.generate(body) if body
  response = Net::HTTP.start(uri.host, uri.port) { |http| http.request(request) }
  raise response.body unless response.is_a?(Net::HTTPSuccess)

  JSON.parse(response.body)
end

at = (Time.now + 3600).utc.iso8601
id = call(:Post, "/posts", { title: "Hello", content: "From Ruby.", platforms: [ENV.fetch("PLATFORM")],
                             scheduledAt: at }).fetch("id")
puts "created"
call(:Get, "/posts")
puts "listed"
call(:Put, "/posts/#{id}", { title: "Hello again" })
puts "updated"
call(:Post, "/posts/#{id}/publish")
puts "published"
call(:Get, "/analytics")
puts "measured"
call(:Delete, "/posts/#{id}")
puts "deleted"
