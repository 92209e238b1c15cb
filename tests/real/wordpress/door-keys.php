<?php
/**
 * Lets tests in: people of three roles, each with an application password, in a file beside WordPress.
 * Lies in wp-content/mu-plugins, so WordPress loads it by itself.
 */

add_action( 'wp_loaded', function () {
	$file = ABSPATH . 'door-keys.json';
	if ( ! is_blog_installed() || file_exists( $file ) ) {
		return;
	}
	$keys = array();
	foreach ( array( 'editor', 'author', 'contributor' ) as $role ) {
		$id = wp_insert_user( array(
			'user_login'   => "an-$role",
			'user_pass'    => wp_generate_password(),
			'display_name' => "An $role",
			'role'         => $role,
		) );
		if ( is_wp_error( $id ) ) {
			return;
		}
		list( $password ) = WP_Application_Passwords::create_new_application_password( $id, array( 'name' => 'blogsvc' ) );
		$keys[ "an-$role" ] = WP_Application_Passwords::chunk_password( $password );
	}
	file_put_contents( $file, wp_json_encode( $keys ) );
} );
