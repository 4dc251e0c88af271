
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/base/art_time.h"


#define ART_TIME_DAY  86400000   /* milliseconds */
#define ART_TIME_ERA  146097     /* days of 400 years */

/* Characters up to the seconds. */

#define ART_TIME_SECONDS  19

#define art_time_digit(c)  ((c) >= '0' && (c) <= '9')

#define ART_UUID_MS   1000000    /* nanoseconds */
#define ART_UUID_DAY  ((uint64_t) 86400000 << 12)


static uint8_t *art_time_digits(uint8_t *p, uint64_t n, unsigned digits,
    int end);
static int art_time_zone(art_str_t text, int64_t *ms);
static uint64_t art_time_number(art_str_t text, size_t pos, size_t digits);
static void art_uuid_print(uint8_t *dst, uint64_t high, uint64_t low);
static uint8_t *art_uuid_hex(uint8_t *p, uint64_t n, unsigned digits);


void
art_time_print(uint8_t *dst, uint64_t ms)
{
    uint64_t  day, era, year, shifted, month;

    if (ms > ART_TIME_MAX) {
        ms = ART_TIME_MAX;
    }

    /*
     * The Gregorian calendar in years that begin on March 1st, so that the
     * leap day is the last of its year; 719468 days from year 0 to 1970.
     */

    day = ms / ART_TIME_DAY + 719468;
    era = day / ART_TIME_ERA;
    day = day % ART_TIME_ERA;

    year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    day -= 365 * year + year / 4 - year / 100;
    shifted = (5 * day + 2) / 153;
    day -= (153 * shifted + 2) / 5;

    month = shifted < 10 ? shifted + 3 : shifted - 9;
    year += era * 400 + (month <= 2);

    dst = art_time_digits(dst, year, 4, '-');
    dst = art_time_digits(dst, month, 2, '-');
    dst = art_time_digits(dst, day + 1, 2, 'T');
    dst = art_time_digits(dst, ms % ART_TIME_DAY / 3600000, 2, ':');
    dst = art_time_digits(dst, ms % 3600000 / 60000, 2, ':');
    dst = art_time_digits(dst, ms % 60000 / 1000, 2, '.');
    (void) art_time_digits(dst, ms % 1000, 3, 'Z');
}


int
art_time_parse(art_str_t text, uint64_t *ms)
{
    uint64_t  year, month, day;
    uint8_t   again[ART_TIME_LEN];

    if (text.len != ART_TIME_LEN) {
        return ART_ERROR;
    }

    year = art_time_number(text, 0, 4);
    month = art_time_number(text, 5, 2);
    day = art_time_number(text, 8, 2);

    if (year < 1970 || month == 0 || month > 12 || day == 0) {
        return ART_ERROR;
    }

    if (month > 2) {
        month -= 3;

    } else {
        month += 9;
        year--;
    }

    day += 365 * year + year / 4 - year / 100 + year / 400
           + (153 * month + 2) / 5 - 719469;

    *ms = day * ART_TIME_DAY
          + art_time_number(text, 11, 2) * 3600000
          + art_time_number(text, 14, 2) * 60000
          + art_time_number(text, 17, 2) * 1000
          + art_time_number(text, 20, 3);

    /* a wrong character or a value out of range prints differently */

    art_time_print(again, *ms);

    return memcmp(again, text.data, sizeof(again)) == 0 ? ART_OK : ART_ERROR;
}


/* The text is brought into the form of art_time_parse(), but for its zone. */

int
art_time_read(art_str_t text, uint64_t *ms)
{
    int       past;
    size_t    i, n;
    int64_t   offset;
    uint8_t   plain[ART_TIME_LEN];

    *ms = 0;

    if (text.len < ART_TIME_SECONDS + 1) {
        return ART_ERROR;
    }

    memcpy(plain, "0000-00-00T00:00:00.000Z", ART_TIME_LEN);
    memcpy(plain, text.data, ART_TIME_SECONDS);

    plain[10] = plain[10] == 't' ? 'T' : plain[10];
    i = ART_TIME_SECONDS;

    if (text.data[i] == '.') {
        for (n = i++; i < text.len && art_time_digit(text.data[i]); i++) {
            if (i - n <= 3) {
                plain[i] = text.data[i];
            }
        }

        if (i == n + 1) {
            return ART_ERROR;
        }
    }

    if (memcmp(plain + 17, "60", 2) == 0) {
        memcpy(plain + 17, "59.999", 6);
    }

    /* 2000 years later the calendar is the same */

    past = (plain[0] == '0' || memcmp(plain, "1970", 4) < 0);

    if (past && plain[0] >= '0') {
        plain[0] = (uint8_t) (plain[0] + 2);
    }

    if (art_time_zone(art_str(text.data + i, text.len - i), &offset) != ART_OK
        || art_time_parse(art_str(plain, sizeof(plain)), ms) != ART_OK)
    {
        *ms = 0;
        return ART_ERROR;
    }

    if (past || (int64_t) *ms <= offset) {
        *ms = 1;

    } else {
        *ms -= (uint64_t) offset;
    }

    return ART_OK;
}


/* "Z", or hours and minutes east of Greenwich, in milliseconds. */

static int
art_time_zone(art_str_t text, int64_t *ms)
{
    size_t    i;
    uint64_t  hours, minutes;

    *ms = 0;

    if (text.len == 1) {
        return text.data[0] == 'Z' || text.data[0] == 'z' ? ART_OK : ART_ERROR;
    }

    if (text.len != sizeof("+00:00") - 1
        || (text.data[0] != '+' && text.data[0] != '-')
        || text.data[3] != ':')
    {
        return ART_ERROR;
    }

    for (i = 1; i < text.len; i++) {
        if (i != 3 && !art_time_digit(text.data[i])) {
            return ART_ERROR;
        }
    }

    hours = art_time_number(text, 1, 2);
    minutes = art_time_number(text, 4, 2);

    if (hours > 23 || minutes > 59) {
        return ART_ERROR;
    }

    *ms = (int64_t) (hours * 60 + minutes) * 60000;

    if (text.data[0] == '-') {
        *ms = -*ms;
    }

    return ART_OK;
}


static uint64_t
art_time_number(art_str_t text, size_t pos, size_t digits)
{
    size_t    i;
    uint64_t  n;

    n = 0;

    for (i = pos; i < pos + digits; i++) {
        n = n * 10 + (uint64_t) (text.data[i] - '0');
    }

    return n;
}


static uint8_t *
art_time_digits(uint8_t *p, uint64_t n, unsigned digits, int end)
{
    unsigned  i;

    for (i = digits; i > 0; i--) {
        p[i - 1] = (uint8_t) ('0' + n % 10);
        n /= 10;
    }

    p[digits] = (uint8_t) end;

    return p + digits + 1;
}


void
art_uuid_v7(uint8_t *dst, uint64_t *last, uint64_t now,
    const uint8_t *random)
{
    uint64_t  time, bits;

    /* 48 bits of milliseconds, 12 bits of their fraction */

    time = now / ART_UUID_MS << 12
           | (now % ART_UUID_MS << 12) / ART_UUID_MS;

    if (time <= *last && *last - time < ART_UUID_DAY) {
        time = *last + 1;
    }

    *last = time;

    memcpy(&bits, random, sizeof(bits));

    /* the variant, binary 10 */

    bits = (bits & 0x3fffffffffffffff) | 0x8000000000000000;

    art_uuid_print(dst, time >> 12 << 16 | 0x7000 | (time & 0xfff), bits);
}


void
art_uuid_v8(uint8_t *dst, const uint8_t *bytes)
{
    size_t    i;
    uint64_t  half[2] = { 0, 0 };

    for (i = 0; i < 16; i++) {
        half[i / 8] = half[i / 8] << 8 | bytes[i];
    }

    art_uuid_print(dst, (half[0] & 0xffffffffffff0fff) | 0x8000,
                   (half[1] & 0x3fffffffffffffff) | 0x8000000000000000);
}


static void
art_uuid_print(uint8_t *dst, uint64_t high, uint64_t low)
{
    dst = art_uuid_hex(dst, high >> 32, 8);
    *dst++ = '-';
    dst = art_uuid_hex(dst, high >> 16, 4);
    *dst++ = '-';
    dst = art_uuid_hex(dst, high, 4);
    *dst++ = '-';
    dst = art_uuid_hex(dst, low >> 48, 4);
    *dst++ = '-';
    (void) art_uuid_hex(dst, low, 12);
}


/* The lower "digits" digits of "n". */

static uint8_t *
art_uuid_hex(uint8_t *p, uint64_t n, unsigned digits)
{
    unsigned           i;
    static const char  hex[] = "0123456789abcdef";

    for (i = digits; i > 0; i--) {
        p[i - 1] = (uint8_t) hex[n & 0x0f];
        n >>= 4;
    }

    return p + digits;
}
