
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The Origin header of a browser's page (RFC 6454): whether it is one of the
 * server's own, or of this machine.
 */


#ifndef ART_ORIGIN_H_INCLUDED_
#define ART_ORIGIN_H_INCLUDED_


#include "core/base/art_core.h"


/*
 * The host of an origin, "scheme://host[:port]" and nothing else, an IPv6
 * address without its brackets; empty for any other text, such as "null".
 */

art_str_t art_origin_host(art_str_t origin);


/*
 * Whether a host is a name or an address of the machine that asks: "localhost",
 * a name below it (RFC 6761), 127.0.0.0/8, ::1.
 */

int art_origin_is_loopback(art_str_t host);


/*
 * Whether a host has a name of nginx's "server_name" in lower case: an exact
 * one, "*.example.com", ".example.com" or "www.example.*".
 */

int art_origin_has_name(art_str_t host, art_str_t name);


#endif /* ART_ORIGIN_H_INCLUDED_ */
