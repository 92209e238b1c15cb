<?php

declare(strict_types=1);

/*
 * An autoloader for projects without Composer: require this file.
 */
spl_autoload_register(static function (string $class): void {
    if (str_starts_with($class, 'Blogsvc\\')) {
        $file = __DIR__ . '/src/' . strtr(substr($class, strlen('Blogsvc\\')), '\\', '/') . '.php';
        if (is_file($file)) {
            require $file;
        }
    }
});
