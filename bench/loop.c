
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A library to be preloaded: how long a step of an event loop keeps the
 * processor, between one epoll_wait() and the next.  What else runs on the
 * machine makes such a step longer, but hardly its processor time.  Steps of
 * LEAST microseconds go as lines into the file that LOOP_LOG names.
 */


#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>


#define LEAST  100


typedef int (*epoll_wait_pt)(int, struct epoll_event *, int, int);

static int   log_fd = -1;
static long  last = -1;


/* nginx clears its environment later. */

static void __attribute__((constructor))
open_log(void)
{
    const char  *name;

    name = getenv("LOOP_LOG");

    if (name != NULL) {
        log_fd = open(name, O_WRONLY|O_APPEND|O_CREAT|O_CLOEXEC, 0666);
    }
}


static long
spent(void)
{
    struct timespec  t;

    (void) clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);

    return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}


int
epoll_wait(int epfd, struct epoll_event *events, int max, int timeout)
{
    int   n;
    char  line[32];
    long  took;

    static epoll_wait_pt  next;

    if (next == NULL) {
        next = (epoll_wait_pt) dlsym(RTLD_NEXT, "epoll_wait");
    }

    took = last < 0 ? 0 : spent() - last;

    if (took >= LEAST && log_fd != -1) {
        n = snprintf(line, sizeof(line), "%ld\n", took);
        (void) !write(log_fd, line, (size_t) n);
    }

    n = next(epfd, events, max, timeout);

    last = spent();

    return n;
}
