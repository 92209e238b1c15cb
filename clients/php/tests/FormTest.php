<?php

declare(strict_types=1);

namespace Blogsvc\Tests;

use Blogsvc\Exception\ConfigurationException;
use Blogsvc\Internal\Form;
use PHPUnit\Framework\TestCase;

final class FormTest extends TestCase
{
    public function testAFileIsTheSameByItsPathAndOpened(): void
    {
        $byPath = Form::of(__FILE__, ['alt' => 'ä'], null);
        $opened = Form::of(fopen(__FILE__, 'rb'), ['alt' => 'ä'], 'FormTest.php');
        self::assertSame($byPath->body, $opened->body);
        self::assertSame($byPath->type, $opened->type);
        self::assertStringContainsString("name=\"alt\"\r\n\r\nä\r\n", $byPath->body);
        self::assertStringContainsString(file_get_contents(__FILE__), $byPath->body);
    }

    public function testANameCannotLeaveItsPlace(): void
    {
        $form = Form::of(__FILE__, [], "a\"\r\nb.png");
        self::assertStringContainsString("; filename=\"a%22%0D%0Ab.png\"\r\n", $form->body);
    }

    /** @dataProvider refused */
    public function testWhatIsNoFileIsRefused(mixed $file): void
    {
        $this->expectException(ConfigurationException::class);
        Form::of($file, [], null);
    }

    /** @return iterable<string, array{mixed}> */
    public static function refused(): iterable
    {
        yield 'none' => [__DIR__ . '/none.png'];
        yield 'a folder' => [__DIR__];
        yield 'an address' => ['data:,x'];
        yield 'opened without a name' => [fopen(__FILE__, 'rb')];
        yield 'a number' => [3];
    }
}
