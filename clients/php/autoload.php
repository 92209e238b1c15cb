<?php

declare(strict_types=1);

/*
 * For those without Composer: require this file, and the classes are found.
 */
spl_autoload_register(static function (string $class): void {
    if (str_starts_with($class, 'Blogsvc\\')) {
        $file = __DIR__ . '/src/' . strtr(substr($class, strlen('Blogsvc\\')), '\\', '/') . '.php';
        if (is_file($file)) {
            require $file;
        }
    }
});
