/* What both floors are made of: a process that is pinned, whole buffers through sockets, and a clock. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void require(int holds, const char *what) {
    if (!holds) {
        perror(what);
        exit(1);
    }
}

static void pin(int processor) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    require(sched_setaffinity(0, sizeof set, &set) == 0, "sched_setaffinity");
}

static double micros(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e6 + now.tv_nsec / 1e3;
}

static char *buffer(size_t bytes) {
    char *made = aligned_alloc(4096, bytes);
    require(made != NULL, "memory");
    return memset(made, 7, bytes);
}

static void put(int to, const char *from, size_t bytes) {
    for (ssize_t n; bytes > 0; from += n, bytes -= n) {
        require((n = write(to, from, bytes)) > 0, "write");
    }
}

static void get(int from, char *to, size_t bytes) {
    for (ssize_t n; bytes > 0; to += n, bytes -= n) {
        require((n = read(from, to, bytes)) > 0, "read");
    }
}

/** A socket to each side, with room for 1 MiB, as a rank's has. */
static void pair(int ends[2]) {
    int bytes = 1 << 20;
    require(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "socketpair");
    for (int i = 0; i < 2; i++) {
        setsockopt(ends[i], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
    }
}

static int child(int processor) {
    pid_t pid = fork();
    require(pid >= 0, "fork");
    if (pid == 0) {
        pin(processor);
    }
    return pid == 0;
}
