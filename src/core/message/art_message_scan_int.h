
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What the files of the scan share: the lists of what was found, parts and
 * messages that are over.
 */


#ifndef ART_MESSAGE_SCAN_INT_H_INCLUDED_
#define ART_MESSAGE_SCAN_INT_H_INCLUDED_


#include "core/message/art_message_scan.h"


/* A field of a part, by number. */

#define art_part_field(part, name)                                            \
    (&(part)->fields[(name) - ART_FIELD_TYPE])
#define art_part_held(part, name)                                             \
    (&(part)->held[(name) - ART_FIELD_ARTIFACT])
#define art_part_has(part, name)                                              \
    (((part)->set >> ((name) - ART_FIELD_TYPE) & 1) != 0)


/* The type of a part that a value makes it. */

#define art_message_rule_type(rule)                                           \
    (((const art_message_rule_t *) (const void *) (rule))->type)


/*
 * Add a slot or a group, zeroed: NULL if there is no memory, or no more slots
 * (scan->full).
 */

art_message_slot_t *art_list_slot(art_scan_t *scan);
art_message_group_t *art_list_group(art_scan_t *scan);


/* Takes all slots from the number "n" on away, or only that one. */

void art_list_cut(art_scan_t *scan, uint32_t n);
void art_list_remove(art_scan_t *scan, uint32_t n);


/* Numbers the reference of a slot; ART_ERROR with the status set. */

int art_list_ref(art_scan_t *scan, art_message_slot_t *slot);


/* Out of memory, or too many: ART_ERROR. */

int art_list_fail(art_scan_t *scan, art_scan_status_t status);


/*
 * A field of the part, and the part as a whole when it is over: its slots are
 * made then.  ART_ERROR with the status set.
 */

int art_part_value(art_scan_t *scan, art_scan_part_t *part,
    const art_walk_rule_t *rule, const art_lex_value_t *value);
int art_part_end(art_scan_t *scan, art_scan_part_t *part, uint64_t end);


/*
 * A message that begins, and one that is over: "end" is behind it.  Between
 * them its content begins, or comes as a string, null or a number.
 */

void art_turn_begin(art_scan_t *scan, unsigned system);
void art_turn_content(art_scan_t *scan, const art_walk_rule_t *rule);
int art_turn_string(art_scan_t *scan, const art_walk_rule_t *rule,
    const art_lex_value_t *value);
int art_turn_end(art_scan_t *scan, uint64_t end);


#endif /* ART_MESSAGE_SCAN_INT_H_INCLUDED_ */
