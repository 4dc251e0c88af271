
/*
 * What the sanitizers' nginx is linked with for "make oom": malloc() and its
 * kin, by the linker's --wrap, fail as the file named by FAIL_MALLOC says.
 * Processes share it: the test says which allocation from now on fails, and
 * learns how many there were.  jansson's are among them; those of other
 * libraries are not.  With FAIL_MALLOC_TRACE set, the error log tells where
 * each one failed.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/mman.h>

#include <jansson.h>


/* 64-bit numbers in the order of the machine. */

typedef struct {
    long  fails;                 /* the number of the one that fails, 0: none */
    long  count;                 /* of those asked for since count was 0 */
} fail_malloc_t;


void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
int __real_posix_memalign(void **p, size_t alignment, size_t size);
void *__real_memalign(size_t alignment, size_t size);
void *__real_mmap(void *addr, size_t len, int prot, int flags, int fd,
    off_t offset);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
int __wrap_posix_memalign(void **p, size_t alignment, size_t size);
void *__wrap_memalign(size_t alignment, size_t size);
void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd,
    off_t offset);


void __sanitizer_print_stack_trace(void);


static int             trace;
static fail_malloc_t  *shared;


__attribute__((constructor)) static void
fail_malloc_init(void)
{
    int          fd;
    void        *p;
    const char  *file;

    trace = getenv("FAIL_MALLOC_TRACE") != NULL;
    file = getenv("FAIL_MALLOC");

    fd = file ? open(file, O_RDWR) : -1;
    if (fd == -1) {
        return;
    }

    p = __real_mmap(NULL, sizeof(fail_malloc_t), PROT_READ|PROT_WRITE,
                    MAP_SHARED, fd, 0);
    close(fd);

    if (p != MAP_FAILED) {
        shared = p;
        json_set_alloc_funcs(__wrap_malloc, free);
    }
}


static int
fails(void)
{
    long  n;

    if (shared == NULL || shared->fails == 0) {
        return 0;
    }

    n = __atomic_add_fetch(&shared->count, 1, __ATOMIC_SEQ_CST);

    if (n != shared->fails) {
        return 0;
    }

    if (trace) {
        __sanitizer_print_stack_trace();
    }

    errno = ENOMEM;

    return 1;
}


void *
__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}


void *
__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : __real_calloc(n, size);
}


void *
__wrap_realloc(void *p, size_t size)
{
    return fails() ? NULL : __real_realloc(p, size);
}


int
__wrap_posix_memalign(void **p, size_t alignment, size_t size)
{
    return fails() ? ENOMEM : __real_posix_memalign(p, alignment, size);
}


void *
__wrap_memalign(size_t alignment, size_t size)
{
    return fails() ? NULL : __real_memalign(alignment, size);
}


void *
__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset)
{
    return fails() ? MAP_FAILED
                   : __real_mmap(addr, len, prot, flags, fd, offset);
}
