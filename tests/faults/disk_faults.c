/* Interposed before libc: counts operations that change files of a folder, and has one of them end the process
   or fail. Armed by fault_arm(); built and loaded by tests/faults/disk_faults.py. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum { KILL = -1 };
enum { WRITES = 1, SYNCS = 2, NAMES = 4 };

static char folder[4096];
static size_t folder_length;
static atomic_long count, failed;
static long at;
static int act, last, kinds;

/* Count operations on files under `under`; the one of number `number` ends the process (act -1, in the middle of a
   write) or fails with errno `act`, and with it the `more` following ones. Only operations of `of` fail. */
void fault_arm(const char *under, long number, int what, int more, int of) {
    snprintf(folder, sizeof folder, "%s", under);
    folder_length = strlen(folder);
    at = number; act = what; last = more; kinds = of;
    atomic_store(&count, 0);
    atomic_store(&failed, 0);
}

long fault_count(void) { return atomic_load(&count); }
long fault_failed(void) { return atomic_load(&failed); }

static int is_under(const char *path) {
    return folder_length && strncmp(path, folder, folder_length) == 0;
}

static int is_ours(int fd) {
    char link[64], path[4096];
    if (!folder_length) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return is_under(path);
}

/* Returns 0: go on; 1: the process ends in this operation; 2: it fails, errno is set. */
static int decide(int kind) {
    if (!(kind & kinds)) return 0;
    long number = atomic_fetch_add(&count, 1) + 1;
    if (!at || number < at || (last >= 0 && number > at + last)) return 0;
    if (act == KILL) return 1;
    atomic_fetch_add(&failed, 1);
    errno = act;
    return 2;
}

static void end(void) { kill(getpid(), SIGKILL); for (;;) pause(); }

#define REAL(name) static __typeof__(name) *real; if (!real) real = (__typeof__(name) *) dlsym(RTLD_NEXT, #name)

ssize_t write(int fd, const void *data, size_t size) {
    REAL(write);
    if (is_ours(fd)) switch (decide(WRITES)) { case 1: real(fd, data, size / 2); end(); case 2: return -1; }
    return real(fd, data, size);
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t offset) {
    REAL(pwrite);
    if (is_ours(fd)) switch (decide(WRITES)) { case 1: real(fd, data, size / 2, offset); end(); case 2: return -1; }
    return real(fd, data, size, offset);
}
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset) {
    REAL(pwrite64);
    if (is_ours(fd)) switch (decide(WRITES)) { case 1: real(fd, data, size / 2, offset); end(); case 2: return -1; }
    return real(fd, data, size, offset);
}
int fsync(int fd) {
    REAL(fsync);
    if (is_ours(fd)) switch (decide(SYNCS)) { case 1: end(); case 2: return -1; }
    return real(fd);
}
int fdatasync(int fd) {
    REAL(fdatasync);
    if (is_ours(fd)) switch (decide(SYNCS)) { case 1: end(); case 2: return -1; }
    return real(fd);
}
int ftruncate(int fd, off_t size) {
    REAL(ftruncate);
    if (is_ours(fd)) switch (decide(SYNCS)) { case 1: end(); case 2: return -1; }
    return real(fd, size);
}
int ftruncate64(int fd, off64_t size) {
    REAL(ftruncate64);
    if (is_ours(fd)) switch (decide(SYNCS)) { case 1: end(); case 2: return -1; }
    return real(fd, size);
}
int rename(const char *from, const char *to) {
    REAL(rename);
    if (is_under(to)) switch (decide(NAMES)) { case 1: end(); case 2: return -1; }
    return real(from, to);
}
int unlink(const char *path) {
    REAL(unlink);
    if (is_under(path)) switch (decide(NAMES)) { case 1: end(); case 2: return -1; }
    return real(path);
}
int mkdir(const char *path, mode_t mode) {
    REAL(mkdir);
    if (is_under(path)) switch (decide(NAMES)) { case 1: end(); case 2: return -1; }
    return real(path, mode);
}
