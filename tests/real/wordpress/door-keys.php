<?php
/**
 * What tests need: people of three roles, each with an application password, in a file beside WordPress,
 * and a way to have nothing published. Lies in wp-content/mu-plugins, so WordPress loads it by itself.
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
			'user_email'   => "$role@example.org",
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

// One request instead of thirty: here, each takes a second on a busy machine.
add_action( 'rest_api_init', function () {
	register_rest_route( 'tests/v1', '/everything', array(
		'methods'             => 'DELETE',
		'permission_callback' => fn() => current_user_can( 'delete_others_posts' ),
		'callback'            => function () {
			$ids = get_posts( array(
				'post_type'   => array( 'post', 'attachment' ),
				'post_status' => array( 'any', 'trash', 'inherit' ),
				'numberposts' => -1,
				'fields'      => 'ids',
			) );
			foreach ( $ids as $id ) {
				'attachment' === get_post_type( $id ) ? wp_delete_attachment( $id, true ) : wp_delete_post( $id, true );
			}
			$terms = get_terms( array( 'taxonomy' => array( 'post_tag', 'category' ), 'hide_empty' => false ) );
			foreach ( $terms as $term ) {
				wp_delete_term( $term->term_id, $term->taxonomy ); // but the default category, which it keeps
			}
			return array( 'deleted' => count( $ids ) );
		},
	) );
	// What Tools > Export sends, which is only for administrators and their browsers.
	register_rest_route( 'tests/v1', '/export', array(
		'methods'             => 'GET',
		'permission_callback' => fn() => current_user_can( 'delete_others_posts' ),
		'callback'            => function () {
			require_once ABSPATH . 'wp-admin/includes/export.php';
			export_wp( array( 'content' => 'all' ) );
			exit;
		},
	) );
} );
