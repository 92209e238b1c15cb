# frozen_string_literal: true

module Blogsvc
  # A form with a file (RFC 7578), named as browsers name it.
  # @api private
  class Multipart
    QUOTED = { '"' => "%22", "\r" => "%0D", "\n" => "%0A" }.freeze
    private_constant :QUOTED

    # @param fields [Hash{Symbol => String}]
    # @param file [String, Pathname, #read] a path, or what to read from
    # @param filename [String, nil] by default that of the path
    def initialize(fields, file, filename)
      @fields = fields
      @data, path = opened(file)
      @filename = filename || (path && File.basename(path))
      raise ConfigurationError, "Give a filename; what is read from here has none." unless @filename

      @boundary = "blogsvc-#{SecureRandom.hex(16)}"
    end

    def content_type = "multipart/form-data; boundary=#{@boundary}"

    def to_s
      parts = @fields.map { |name, value| part(%(name="#{name}"), value) }
      parts << part(
        %(name="file"; filename="#{@filename.gsub(/["\r\n]/, QUOTED)}"\r\nContent-Type: application/octet-stream), @data
      )
      parts.join << "--#{@boundary}--\r\n".b
    end

    private

    # Its bytes, and its path where it has one. It is read whole, since it may be sent again.
    def opened(file)
      case file
      when String, Pathname then [File.binread(file), file.to_s]
      else [file.read.b, (file.path if file.respond_to?(:path))]
      end
    end

    def part(disposition, value)
      "--#{@boundary}\r\nContent-Disposition: form-data; #{disposition}\r\n\r\n".b << value.b << "\r\n".b
    end
  end
  private_constant :Multipart
end
