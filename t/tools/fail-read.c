
/*
 * fail-read.so, for LD_PRELOAD: reading a file whose name has "broken-" and
 * a number in it fails with EIO from that offset on, as on a bad disk.
 */

#define _GNU_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/types.h>


typedef ssize_t (*pread_pt)(int fd, void *buf, size_t size, off_t offset);
typedef ssize_t (*read_pt)(int fd, void *buf, size_t size);


/* how many of the bytes can be read, -1 if none */

static ssize_t
readable(int fd, size_t size, off_t offset)
{
    char     path[64], name[4096], *mark;
    off_t    good;
    ssize_t  n;

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);

    n = readlink(path, name, sizeof(name) - 1);
    if (n == -1) {
        return (ssize_t) size;
    }

    name[n] = '\0';

    mark = strstr(name, "broken-");
    if (mark == NULL || strstr(mark, ".meta") != NULL) {
        return (ssize_t) size;
    }

    good = atol(mark + sizeof("broken-") - 1);

    if (offset >= good) {
        errno = EIO;
        return -1;
    }

    return (offset + (off_t) size > good) ? (ssize_t) (good - offset)
                                          : (ssize_t) size;
}


ssize_t
pread64(int fd, void *buf, size_t size, off_t offset)
{
    ssize_t          n;
    static pread_pt  next;

    if (next == NULL) {
        next = (pread_pt) dlsym(RTLD_NEXT, "pread64");
    }

    n = readable(fd, size, offset);

    return (n == -1) ? -1 : next(fd, buf, (size_t) n, offset);
}


ssize_t
pread(int fd, void *buf, size_t size, off_t offset)
{
    return pread64(fd, buf, size, offset);
}


ssize_t
read(int fd, void *buf, size_t size)
{
    off_t           offset;
    ssize_t         n;
    static read_pt  next;

    if (next == NULL) {
        next = (read_pt) dlsym(RTLD_NEXT, "read");
    }

    offset = lseek(fd, 0, SEEK_CUR);
    if (offset == -1) {
        return next(fd, buf, size);
    }

    n = readable(fd, size, offset);

    return (n == -1) ? -1 : next(fd, buf, (size_t) n);
}
