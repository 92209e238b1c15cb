<?php

declare(strict_types=1);

namespace Blogsvc\Tests;

use Blogsvc\Exception\ConfigurationException;
use Blogsvc\Internal\MultipartForm;
use PHPUnit\Framework\TestCase;

final class MultipartFormTest extends TestCase
{
    public function testAPathAndAStreamResourceGiveTheSameForm(): void
    {
        $byPath = MultipartForm::create(__FILE__, ['alt' => 'ä'], null);
        $opened = MultipartForm::create(fopen(__FILE__, 'rb'), ['alt' => 'ä'], 'MultipartFormTest.php');
        self::assertSame($byPath->body, $opened->body);
        self::assertSame($byPath->type, $opened->type);
        self::assertStringContainsString("name=\"alt\"\r\n\r\nä\r\n", $byPath->body);
        self::assertStringContainsString(file_get_contents(__FILE__), $byPath->body);
    }

    public function testTheFileNameIsEscaped(): void
    {
        $form = MultipartForm::create(__FILE__, [], "a\"\r\nb.png");
        self::assertStringContainsString("; filename=\"a%22%0D%0Ab.png\"\r\n", $form->body);
    }

    /** @dataProvider invalidFiles */
    public function testAnInvalidFileIsRejected(mixed $file): void
    {
        $this->expectException(ConfigurationException::class);
        MultipartForm::create($file, [], null);
    }

    /** @return iterable<string, array{mixed}> */
    public static function invalidFiles(): iterable
    {
        yield 'a missing file' => [__DIR__ . '/none.png'];
        yield 'a folder' => [__DIR__];
        yield 'a URL' => ['data:,x'];
        yield 'a stream resource without a name' => [fopen(__FILE__, 'rb')];
        yield 'a number' => [3];
    }
}
