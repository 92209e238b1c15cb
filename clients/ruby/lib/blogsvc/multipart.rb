# frozen_string_literal: true

module Blogsvc
  # A form with a file as multipart/form-data (RFC 7578). File names are escaped as browsers do.
  # @api private
  class Multipart
    ESCAPES = { '"' => "%22", "\r" => "%0D", "\n" => "%0A" }.freeze
    private_constant :ESCAPES

    # @param fields [Hash{Symbol => String}]
    # @param file [String, Pathname, #read] a path, or an IO object
    # @param filename [String, nil] default: the name in the path
    def initialize(fields, file, filename)
      @fields = fields
      @data, path = read(file)
      @filename = filename || (path && File.basename(path))
      raise ConfigurationError, "The file has no name. Pass filename." unless @filename

      @boundary = "blogsvc-#{SecureRandom.hex(16)}"
    end

    def content_type = "multipart/form-data; boundary=#{@boundary}"

    def to_s
      parts = @fields.map { |name, value| part(%(name="#{name}"), value) }
      filename = @filename.gsub(/["\r\n]/, ESCAPES)
      parts << part(%(name="file"; filename="#{filename}"\r\nContent-Type: application/octet-stream), @data)
      parts.join << "--#{@boundary}--\r\n".b
    end

    private

    # Returns the content of a file and its path, if it has one. The content is kept, since a retry sends it again.
    def read(file)
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
