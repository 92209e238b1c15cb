<?php
/**
 * What tests of moving need: posts with permalinks of any form, the file of Tools > Export, and the permalinks as before.
 */

add_action( 'rest_api_init', function () {
	$route    = fn( $method, $callback ) => array(
		'methods'             => $method,
		'permission_callback' => fn() => current_user_can( 'delete_others_posts' ),
		'callback'            => $callback,
	);
	$use_form = function ( $form ) {
		global $wp_rewrite;
		$wp_rewrite->set_permalink_structure( $form );
		flush_rewrite_rules();
	};
	register_rest_route( 'tests/v1', '/moving', array(
		$route( 'POST', function ( $request ) use ( $use_form ) {
			add_option( 'permalinks_before', get_option( 'permalink_structure' ) );
			$use_form( $request['permalinks'] );
			$ids = array();
			foreach ( $request['posts'] as $post ) {
				$id = wp_insert_post( wp_slash( $post ) );
				wp_set_post_terms( $id, $post['tags'] );
				wp_set_object_terms( $id, $post['categories'], 'category' );
				$ids[] = $id;
			}
			return $ids;
		} ),
		$route( 'GET', function () {
			require_once ABSPATH . 'wp-admin/includes/export.php';
			ob_start();
			export_wp();
			return array( 'xml' => ob_get_clean() );
		} ),
		$route( 'DELETE', function () use ( $use_form ) {
			$use_form( get_option( 'permalinks_before' ) );
			return array();
		} ),
	) );
} );
