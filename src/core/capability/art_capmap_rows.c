
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Capability maps: services found by parts of their names, and what public maps
 * say of a model that several of their rows name.
 */


#include <stdlib.h>

#include "core/base/art_array.h"
#include "core/capability/art_capmap_int.h"


/*
 * The cost of a part in own maps is the sum of what is dropped from both names.
 * Among the rows of public maps a path says who describes the model, not which
 * model it is, so it costs nothing.  Rows of the maker come before all others,
 * whatever else is dropped; but a "-latest" of a map moves on from the model
 * that was once called so, and comes after all others.
 */

#define ART_CAPMAP_MODEL   1         /* a part of a model: ids come first */
#define ART_CAPMAP_OTHERS  0x10000   /* more than all that can be dropped */
#define ART_CAPMAP_LATEST  0x20000


/* A row that has a part, in the list of the part's rows. */

typedef struct {
    uint32_t             entry;
    uint32_t             cost;
    uint32_t             next;       /* UINT32_MAX: the last */
    unsigned             maker;      /* art_model_maker() */
} art_capmap_row_t;


/* A capability of a row, while they are counted. */

typedef struct {
    art_str_t            name;
    size_t               i;
} art_capmap_vote_t;


typedef struct {
    art_capmap_t        *map;
    art_capmap_row_t    *items;
    size_t               n;
    size_t               room;
    uint32_t            *voters;     /* entries; room for all of the map */
    art_capmap_vote_t   *votes;
    size_t               nvotes;     /* room in "votes" */
} art_capmap_rows_t;


static int art_capmap_add_names(art_capmap_rows_t *rows, unsigned i);
static int art_capmap_add_name_parts(art_capmap_rows_t *rows, unsigned i,
    art_str_t name, unsigned model);
static int art_capmap_is_bare(art_str_t text);
static int art_capmap_add_row(art_capmap_rows_t *rows, art_capmap_part_t *part,
    unsigned i, unsigned dropped, unsigned maker);
static art_str_t art_capmap_provider(const art_capmap_entry_t *entry);
static int art_capmap_is_provided(const art_capmap_entry_t *entry);
static art_capmap_part_t *art_capmap_put_part(art_capmap_t *map,
    art_str_t text, unsigned i, unsigned model, const art_model_key_t *key);
static uint32_t *art_capmap_by_part(const art_capmap_t *map, art_str_t text,
    art_table_key_t *key);
static void art_capmap_prefer(const art_capmap_t *map,
    art_capmap_choice_t *best, uint32_t entry, uint32_t cost);
static int art_capmap_judge(art_capmap_rows_t *rows, art_capmap_part_t *part);
static int art_capmap_merge_rows(art_capmap_rows_t *rows, uint32_t first,
    uint32_t cost, uint32_t *entry);
static size_t art_capmap_voters(art_capmap_rows_t *rows, uint32_t first,
    uint32_t cost, uint32_t *like);
static int art_capmap_vote(art_capmap_rows_t *rows, size_t n, int output,
    art_capmap_names_t *names);
static int art_capmap_push_votes(art_capmap_rows_t *rows, size_t *n,
    const art_str_t *names, size_t count);
static int art_capmap_vote_by_name(const void *one, const void *two);
static int art_capmap_vote_by_row(const void *one, const void *two);
static int art_capmap_says(const art_caps_t *caps,
    const art_capmap_names_t *names);
static int art_capmap_put_merged(art_capmap_t *map, uint32_t like,
    const art_capmap_names_t names[2], uint32_t *entry);
static void art_capmap_fill(art_capmap_t *map);
static void art_capmap_choose(const art_capmap_t *map, art_str_t name,
    art_capmap_choice_t best[ART_CAPMAP_WAYS]);
static void art_capmap_choose_by(const art_capmap_t *map, art_str_t name,
    const art_model_key_t *asked, art_capmap_choice_t best[ART_CAPMAP_WAYS]);
static const art_service_t *art_capmap_chosen(const art_capmap_t *map,
    const art_capmap_choice_t *choice);


int
art_capmap_index_parts(art_capmap_t *map)
{
    int                  rc;
    void                *fit;
    unsigned             i;
    art_capmap_rows_t    rows;

    art_capmap_free_parts(map);

    memset(&rows, 0, sizeof(art_capmap_rows_t));
    rows.map = map;
    rows.voters = malloc((map->list.n + 1) * sizeof(uint32_t));
    rc = rows.voters != NULL ? ART_OK : ART_ERROR;

    for (i = 0; i < map->list.n && rc == ART_OK; i++) {
        rc = art_capmap_add_names(&rows, i);
    }

    for (i = 0; i < map->parts.n && rc == ART_OK; i++) {
        rc = art_capmap_judge(&rows, &map->parts.items[i]);
    }

    free(rows.items);
    free(rows.voters);
    free(rows.votes);

    if (rc != ART_OK) {
        return ART_ERROR;
    }

    art_capmap_fill(map);

    fit = realloc(map->parts.items,
                  (map->parts.n + 1) * sizeof(art_capmap_part_t));

    if (fit != NULL) {
        map->parts.items = fit;
        map->parts.room = (size_t) map->parts.n + 1;
    }

    return ART_OK;
}


void
art_capmap_free_parts(art_capmap_t *map)
{
    free(map->parts.items);
    memset(&map->parts, 0, sizeof(art_capmap_parts_t));

    free(map->merged);
    map->merged = NULL;
    map->nmerged = 0;
    map->room = 0;

    art_table_free(&map->by_part);
}


static int
art_capmap_add_names(art_capmap_rows_t *rows, unsigned i)
{
    const art_capmap_entry_t  *entry;

    entry = &rows->map->list.entries[i];

    return art_capmap_add_name_parts(rows, i, entry->service.id, 0)
           || (!art_capmap_is_provided(entry)
               && art_capmap_add_name_parts(rows, i, entry->service.model, 1))
           ? ART_ERROR : ART_OK;
}


/*
 * Adds all parts of a name of an own map; of a public one those without a path,
 * and the whole id.
 */

static int
art_capmap_add_name_parts(art_capmap_rows_t *rows, unsigned i, art_str_t name,
    unsigned model)
{
    uint8_t              spelled[ART_MODEL_NAME_MAX], buf[ART_MODEL_NAME_MAX];
    unsigned             k, n, maker;
    art_str_t            text;
    art_capmap_t        *map;
    art_model_key_t      keys[ART_MODEL_KEYS_MAX];
    art_capmap_part_t   *part;
    art_capmap_entry_t  *entry;

    map = rows->map;
    entry = &map->list.entries[i];

    name = art_model_spell(name, spelled);
    n = art_model_keys(name, keys);

    if (n == 0) {
        return ART_OK;
    }

    entry->spelled[model] = art_intern(&map->strings, name.data, name.len, 1);

    if (entry->spelled[model] == NULL) {
        return ART_ERROR;
    }

    maker = entry->own ? 0
            : art_model_maker(art_model_key_text(name, &keys[n - 1], buf),
                              art_capmap_provider(entry));

    for (k = 0; k < n; k++) {
        text = art_model_key_text(name, &keys[k], buf);

        if (!entry->own && (k > 0 || model) && !art_capmap_is_bare(text)) {
            continue;
        }

        part = art_capmap_put_part(map, text, i, model, &keys[k]);

        if (part == NULL) {
            return ART_ERROR;
        }

        if (entry->own) {
            art_capmap_prefer(map, &part->best[ART_CAPMAP_OWN], i,
                              keys[k].dropped + model * ART_CAPMAP_MODEL);
            continue;
        }

        if (k == 0 && !model) {
            art_capmap_prefer(map, &part->best[ART_CAPMAP_SAME], i,
                              (maker + 2) % 3 + entry->blank * 3);
        }

        if (art_capmap_is_bare(text)
            && art_capmap_add_row(rows, part, i, keys[k].dropped, maker)
               != ART_OK)
        {
            return ART_ERROR;
        }
    }

    return ART_OK;
}


/* Whether a part has no path; "a/" has nothing but one. */

static int
art_capmap_is_bare(art_str_t text)
{
    return memchr(text.data, '/', text.len) == NULL
           || text.data[text.len - 1] == '/';
}


/* An entry that has a part twice, in id and model, is one row. */

static int
art_capmap_add_row(art_capmap_rows_t *rows, art_capmap_part_t *part,
    unsigned i, unsigned dropped, unsigned maker)
{
    void              *grown;
    unsigned           cost;
    art_capmap_row_t  *row;

    cost = dropped & ART_MODEL_SUFFIX;

    if (dropped & ART_MODEL_LATEST) {
        cost += ART_CAPMAP_LATEST;
    }

    if (part->rows < rows->n && rows->items[part->rows].entry == i) {
        row = &rows->items[part->rows];

        if (cost < row->cost) {
            row->cost = cost;
        }

        return ART_OK;
    }

    grown = art_array_grow(rows->items, rows->n, &rows->room,
                           sizeof(art_capmap_row_t));
    if (grown == NULL) {
        return ART_ERROR;
    }

    rows->items = grown;

    row = &rows->items[rows->n];
    row->entry = i;
    row->cost = cost;
    row->next = part->rows;
    row->maker = maker;

    part->rows = (uint32_t) rows->n++;

    return ART_OK;
}


static art_str_t
art_capmap_provider(const art_capmap_entry_t *entry)
{
    art_str_t       id;
    const uint8_t  *slash;

    if (entry->provider.len > 0) {
        return entry->provider;
    }

    id = entry->service.id;
    slash = memchr(id.data, '/', id.len);

    return art_str(id.data, slash ? (size_t) (slash - id.data) : 0);
}


/*
 * Whether the model is just the id without its provider: then it is not a
 * separate name.  An administrator's own map is taken literally.
 */

static int
art_capmap_is_provided(const art_capmap_entry_t *entry)
{
    art_str_t  id, model;

    id = entry->service.id;
    model = entry->service.model;

    return !entry->own && id.len > model.len && id.len <= ART_MODEL_NAME_MAX
           && id.data[id.len - model.len - 1] == '/'
           && art_str_eq(art_str(id.data + id.len - model.len, model.len),
                         model);
}


/* Returns the part with this text, a new one if need be; NULL: no memory. */

static art_capmap_part_t *
art_capmap_put_part(art_capmap_t *map, art_str_t text, unsigned i,
    unsigned model, const art_model_key_t *key)
{
    void               *grown;
    unsigned            way;
    uint32_t           *item;
    art_table_key_t     search;
    art_capmap_part_t  *part;

    item = art_capmap_by_part(map, text, &search);

    if (item != NULL) {
        return &map->parts.items[*item];
    }

    grown = art_array_grow(map->parts.items, map->parts.n, &map->parts.room,
                           sizeof(art_capmap_part_t));
    if (grown == NULL) {
        return NULL;
    }

    map->parts.items = grown;

    part = &map->parts.items[map->parts.n];
    part->entry = i;
    part->rows = UINT32_MAX;
    part->model = model & 1;
    part->key = *key;

    for (way = 0; way < ART_CAPMAP_WAYS; way++) {
        part->best[way].cost = UINT32_MAX;
    }

    return art_table_add(&map->by_part, &search, map->parts.n++) == ART_OK
           ? part : NULL;
}


/* The index of the part with this text, or NULL. */

static uint32_t *
art_capmap_by_part(const art_capmap_t *map, art_str_t text,
    art_table_key_t *key)
{
    uint8_t                    buf[ART_MODEL_NAME_MAX];
    uint32_t                  *item;
    const art_capmap_part_t   *part;
    const art_capmap_entry_t  *entry;

    art_table_key(&map->by_part, key, text.data, text.len);

    while ((item = art_table_next(&map->by_part, key)) != NULL) {
        part = &map->parts.items[*item];
        entry = &map->list.entries[part->entry];

        if (art_str_eq(art_model_key_text(art_str(entry->spelled[part->model],
                                                  ART_MODEL_NAME_MAX),
                                          &part->key, buf),
                       text))
        {
            break;
        }
    }

    return item;
}


/* Of entries that cost the same, the one that was added last is chosen. */

static void
art_capmap_prefer(const art_capmap_t *map, art_capmap_choice_t *best,
    uint32_t entry, uint32_t cost)
{
    if (cost < best->cost
        || (cost == best->cost
            && entry < map->list.n && best->entry < map->list.n
            && map->list.entries[entry].serial
               > map->list.entries[best->entry].serial))
    {
        best->entry = entry;
        best->cost = cost;
    }
}


/*
 * Decides what the rows of a part say: the best row of the maker, or all that
 * cost least.  Rows that do not state their input say nothing, but see
 * art_capmap_merge_rows().
 */

static int
art_capmap_judge(art_capmap_rows_t *rows, art_capmap_part_t *part)
{
    uint32_t                   i, least, entry;
    const art_capmap_row_t    *row;
    const art_capmap_entry_t  *stated;

    least = UINT32_MAX;

    for (i = part->rows; i < rows->n; i = row->next) {
        row = &rows->items[i];
        stated = &rows->map->list.entries[row->entry];

        if (stated->blank) {
            art_capmap_prefer(rows->map, &part->best[ART_CAPMAP_BLANK],
                              row->entry, row->cost);
            continue;
        }

        if (row->maker) {
            art_capmap_prefer(rows->map, &part->best[ART_CAPMAP_ROWS],
                              row->entry, row->cost + row->maker);
        }

        if (row->cost < least) {
            least = row->cost;
        }
    }

    if (least == UINT32_MAX
        || least + ART_CAPMAP_OTHERS >= part->best[ART_CAPMAP_ROWS].cost)
    {
        return ART_OK;
    }

    if (art_capmap_merge_rows(rows, part->rows, least, &entry) != ART_OK) {
        return ART_ERROR;
    }

    part->best[ART_CAPMAP_ROWS].entry = entry;
    part->best[ART_CAPMAP_ROWS].cost = least + ART_CAPMAP_OTHERS;

    return ART_OK;
}


/* Finds or makes the entry that has what more than half of the rows have. */

static int
art_capmap_merge_rows(art_capmap_rows_t *rows, uint32_t first, uint32_t cost,
    uint32_t *entry)
{
    size_t                     i, n;
    art_capmap_names_t         names[2];
    art_capmap_choice_t        same;
    const art_capmap_entry_t  *voter;

    n = art_capmap_voters(rows, first, cost, entry);

    if (n == 1) {
        return ART_OK;
    }

    if (art_capmap_vote(rows, n, 0, &names[0]) != ART_OK
        || art_capmap_vote(rows, n, 1, &names[1]) != ART_OK)
    {
        return ART_ERROR;
    }

    same.entry = 0;
    same.cost = UINT32_MAX;

    for (i = 0; i < n; i++) {
        voter = &rows->map->list.entries[rows->voters[i]];

        if (!voter->blank && art_capmap_says(&voter->service.input, &names[0])
            && art_capmap_says(&voter->service.output, &names[1]))
        {
            art_capmap_prefer(rows->map, &same, rows->voters[i], 0);
        }
    }

    if (same.cost == 0) {
        *entry = same.entry;
        return ART_OK;
    }

    return art_capmap_put_merged(rows->map, *entry, names, entry);
}


/*
 * Lists the rows of this cost; *like is the last one that states its input.
 * The maker's row is listed even if it states none, and then counts as one of
 * text: otherwise a single reseller who states an input would decide.
 */

static size_t
art_capmap_voters(art_capmap_rows_t *rows, uint32_t first, uint32_t cost,
    uint32_t *like)
{
    size_t                   n;
    uint32_t                 i;
    art_capmap_choice_t      last;
    const art_capmap_row_t  *row;

    n = 0;
    last.entry = 0;
    last.cost = UINT32_MAX;

    for (i = first; i < rows->n; i = row->next) {
        row = &rows->items[i];

        if (row->cost != cost) {
            continue;
        }

        if (!rows->map->list.entries[row->entry].blank) {
            art_capmap_prefer(rows->map, &last, row->entry, 0);

        } else if (!row->maker) {
            continue;
        }

        rows->voters[n++] = row->entry;
    }

    *like = last.entry;

    return n;
}


/* Sets the names that more than half of "n" voters have, in their order. */

static int
art_capmap_vote(art_capmap_rows_t *rows, size_t n, int output,
    art_capmap_names_t *names)
{
    int                        rc;
    size_t                     i, j, nvotes, won;
    art_capmap_vote_t         *votes;
    const art_caps_t          *caps;
    const art_capmap_entry_t  *entry;

    static const art_str_t  text = art_string("text");

    nvotes = 0;

    for (i = 0; i < n; i++) {
        entry = &rows->map->list.entries[rows->voters[i]];
        caps = output ? &entry->service.output : &entry->service.input;

        rc = entry->blank && !output
             ? art_capmap_push_votes(rows, &nvotes, &text, 1)
             : art_capmap_push_votes(rows, &nvotes, caps->names, caps->nnames);

        if (rc != ART_OK) {
            return ART_ERROR;
        }
    }

    names->n = 0;
    votes = rows->votes;

    if (nvotes == 0) {
        return ART_OK;
    }

    qsort(votes, nvotes, sizeof(art_capmap_vote_t), art_capmap_vote_by_name);

    won = 0;

    for (i = 0; i < nvotes; i = j) {
        for (j = i + 1; j < nvotes; j++) {
            if (!art_str_eq(votes[i].name, votes[j].name)) {
                break;
            }
        }

        if ((j - i) * 2 > n) {
            votes[won++] = votes[i];
        }
    }

    qsort(votes, won, sizeof(art_capmap_vote_t), art_capmap_vote_by_row);

    for (i = 0; i < won; i++) {
        (void) art_capmap_add_name(names, votes[i].name);
    }

    return ART_OK;
}


static int
art_capmap_push_votes(art_capmap_rows_t *rows, size_t *n,
    const art_str_t *names, size_t count)
{
    void    *grown;
    size_t   i;

    grown = art_array_extend(rows->votes, *n, count + 1, &rows->nvotes,
                             sizeof(art_capmap_vote_t));
    if (grown == NULL) {
        return ART_ERROR;
    }

    rows->votes = grown;

    for (i = 0; i < count; i++) {
        rows->votes[*n].name = names[i];
        rows->votes[*n].i = *n;
        (*n)++;
    }

    return ART_OK;
}


static int
art_capmap_vote_by_name(const void *one, const void *two)
{
    int                       rc;
    const art_capmap_vote_t  *a, *b;

    a = one;
    b = two;

    rc = art_str_cmp(a->name, b->name);

    return rc ? rc : art_capmap_vote_by_row(one, two);
}


static int
art_capmap_vote_by_row(const void *one, const void *two)
{
    const art_capmap_vote_t  *a, *b;

    a = one;
    b = two;

    return (a->i > b->i) - (a->i < b->i);
}


/* Whether capabilities are just these, in any order. */

static int
art_capmap_says(const art_caps_t *caps, const art_capmap_names_t *names)
{
    unsigned  i;

    if (caps->nnames != names->n) {
        return 0;
    }

    for (i = 0; i < names->n; i++) {
        if (!art_capability_has(caps, names->items[i])) {
            return 0;
        }
    }

    return 1;
}


/* Its id is the name that the row "like" has for the model. */

static int
art_capmap_put_merged(art_capmap_t *map, uint32_t like,
    const art_capmap_names_t names[2], uint32_t *entry)
{
    void           *grown;
    size_t          i;
    art_str_t       id;
    art_service_t  *service;

    grown = art_array_grow(map->merged, map->nmerged, &map->room,
                           sizeof(art_service_t));
    if (grown == NULL) {
        return ART_ERROR;
    }

    map->merged = grown;

    service = &map->merged[map->nmerged];
    memset(service, 0, sizeof(art_service_t));

    id = map->list.entries[like].service.id;

    for (i = id.len; i > 0 && id.data[i - 1] != '/'; i--) {
        /* void */
    }

    service->id = art_str(id.data + i, id.len - i);

    if (art_capmap_intern_caps(&map->strings, &service->input, &names[0])
        != ART_OK
        || art_capmap_intern_caps(&map->strings, &service->output, &names[1])
           != ART_OK)
    {
        return ART_ERROR;
    }

    *entry = map->list.n + map->nmerged++;

    return ART_OK;
}


/*
 * Once the parts are indexed: gives an entry that does not state its input the
 * input of the service that its name finds.  The lists of names belong to the
 * map, so they can be shared.
 */

static void
art_capmap_fill(art_capmap_t *map)
{
    unsigned              i;
    art_capmap_entry_t   *entry;
    art_capmap_choice_t   best[ART_CAPMAP_WAYS], *found;

    for (i = 0; i < map->list.n; i++) {
        entry = &map->list.entries[i];

        if (!entry->blank) {
            continue;
        }

        art_capmap_choose(map, entry->service.id, best);

        found = best[ART_CAPMAP_OWN].cost < UINT32_MAX ? &best[ART_CAPMAP_OWN]
                                                       : &best[ART_CAPMAP_ROWS];

        if (found->cost < UINT32_MAX) {
            entry->service.input = art_capmap_chosen(map, found)->input;
        }
    }
}


const art_service_t *
art_capmap_find_part(const art_capmap_t *map, art_str_t name)
{
    const art_service_t  *service;
    art_capmap_choice_t   best[ART_CAPMAP_WAYS];

    art_capmap_choose(map, name, best);

    /* own names that are only spelled otherwise come first */

    if (best[ART_CAPMAP_OWN].cost > ART_CAPMAP_MODEL) {

        if (best[ART_CAPMAP_SAME].cost < UINT32_MAX) {
            return art_capmap_chosen(map, &best[ART_CAPMAP_SAME]);
        }

        service = art_capmap_find_agent(map, name);

        if (service != NULL) {
            return service;
        }
    }

    if (best[ART_CAPMAP_OWN].cost < UINT32_MAX) {
        return art_capmap_chosen(map, &best[ART_CAPMAP_OWN]);
    }

    if (best[ART_CAPMAP_ROWS].cost < UINT32_MAX) {
        return art_capmap_chosen(map, &best[ART_CAPMAP_ROWS]);
    }

    return art_capmap_chosen(map, &best[ART_CAPMAP_BLANK]);
}


/*
 * Finds the best that a name can find in each way.  Names may share a part, but
 * not the shortest: of "m-preview-06-05" that is "m", of "m-preview" it is not.
 */

static void
art_capmap_choose(const art_capmap_t *map, art_str_t name,
    art_capmap_choice_t best[ART_CAPMAP_WAYS])
{
    uint8_t          spelled[ART_MODEL_NAME_MAX];
    unsigned         i, n;
    art_model_key_t  keys[ART_MODEL_KEYS_MAX];

    for (i = 0; i < ART_CAPMAP_WAYS; i++) {
        best[i].cost = UINT32_MAX;
    }

    name = art_model_spell(name, spelled);
    n = art_model_keys(name, keys);

    for (i = 0; i < n; i++) {
        art_capmap_choose_by(map, name, &keys[i], best);
    }
}


static void
art_capmap_choose_by(const art_capmap_t *map, art_str_t name,
    const art_model_key_t *asked, art_capmap_choice_t best[ART_CAPMAP_WAYS])
{
    uint8_t                   buf[ART_MODEL_NAME_MAX];
    unsigned                  way, dropped;
    uint32_t                 *item;
    art_table_key_t           key;
    const art_capmap_part_t  *part;

    item = art_capmap_by_part(map, art_model_key_text(name, asked, buf), &key);

    if (item == NULL) {
        return;
    }

    part = &map->parts.items[*item];

    for (way = 0; way < ART_CAPMAP_WAYS; way++) {
        if (part->best[way].cost == UINT32_MAX
            || (way == ART_CAPMAP_SAME && asked->dropped > 0))
        {
            continue;
        }

        dropped = way == ART_CAPMAP_OWN ? asked->dropped
                                        : asked->dropped & ART_MODEL_SUFFIX;

        art_capmap_prefer(map, &best[way], part->best[way].entry,
                          part->best[way].cost + dropped);
    }
}


/* NULL: nothing was chosen. */

static const art_service_t *
art_capmap_chosen(const art_capmap_t *map, const art_capmap_choice_t *choice)
{
    if (choice->cost == UINT32_MAX) {
        return NULL;
    }

    return choice->entry < map->list.n
           ? &map->list.entries[choice->entry].service
           : &map->merged[choice->entry - map->list.n];
}
