# frozen_string_literal: true

require_relative "helper"

class RecordTest < Minitest::Test
  POST = Blogsvc::Record.new(
    {
      "id" => "post_1", "title" => "2030-01-01T08:00:00Z", "scheduledAt" => "2030-01-01T09:00:00+01:00",
      "publishedAt" => nil, "unknownField" => 1, "overrides" => { "dev.to" => { "title" => "T" } },
      "deliveries" => [{ "state" => "queued", "deliveredAt" => "soon" }]
    }
  )

  def test_fields_are_methods_and_keys
    assert_equal "post_1", POST.id
    assert_equal 1, POST.unknown_field
    assert_nil POST.published_at
    assert_equal "2030-01-01T09:00:00+01:00", POST["scheduledAt"]
    assert_equal "queued", POST.deliveries[0].state
    assert_equal "T", POST.dig("overrides", :"dev.to", "title")
    assert_nil POST.dig("nothing", "title")
  end

  def test_times_are_recognized_by_name_and_value
    assert_equal Time.utc(2030, 1, 1, 8), POST.scheduled_at
    assert_predicate POST.scheduled_at, :utc?
    assert_equal "2030-01-01T08:00:00Z", POST.title
    assert_equal "soon", POST.deliveries[0].delivered_at
  end

  def test_a_record_responds_only_to_its_fields
    assert_respond_to POST, :scheduled_at
    refute_respond_to POST, :scheduledAt
    refute_respond_to POST, :word_count
    assert_raises(NoMethodError) { POST.word_count }
    assert_raises(NoMethodError) { POST.scheduledAt }
    assert_raises(NoMethodError) { POST.id(1) }
    assert_raises(NoMethodError) { POST.title = "x" }
  end

  def test_a_record_is_deeply_frozen
    assert Ractor.shareable?(POST)
    assert_raises(FrozenError) { POST.title << "x" }
    assert_raises(FrozenError) { POST.deliveries << 1 }
  end

  def test_records_support_pattern_matching
    case POST
    in { id: String => id, scheduled_at: Time => at, deliveries: [{ state: "queued" }] }
      assert_equal ["post_1", 2030], [id, at.year]
    end
    assert_includes POST.deconstruct_keys(nil), :unknown_field
    refute((POST in { word_count: Integer }))
  end

  def test_a_record_converts_to_the_original_json
    assert_equal POST, Blogsvc::Record.new(JSON.parse(POST.to_json))
    assert_equal POST.hash, Blogsvc::Record.new(POST.to_h).hash
    refute_equal POST, POST.to_h
    assert_instance_of Hash, POST.to_h["deliveries"][0]
    assert_equal JSON.generate([POST.to_h]), JSON.generate([POST])
  end

  def test_inspect_shows_the_fields
    assert_includes POST.inspect, '#<Blogsvc::Record id="post_1" title='
    assert_includes capture_io { pp POST }.first, "\n unknownField=1,\n"
  end

  def test_a_field_can_have_the_name_of_a_private_method
    names = %w[fields wrap format test fail open]
    record = Blogsvc::Record.new(names.to_h { |name| [name, 1] })

    assert_equal names, (names.select { |name| record.respond_to?(name) && record.public_send(name) == 1 })
    assert_equal 1, record.fields
  end

  def test_a_record_can_be_dumped
    record = Blogsvc::Record.new(POST.to_h, Blogsvc::Response.new(200, { "etag" => '"1"' }))
    copy = Marshal.load(Marshal.dump(record))

    assert_equal record, copy
    assert_equal '"1"', copy.response.etag
    assert Ractor.shareable?(copy)
  end
end
