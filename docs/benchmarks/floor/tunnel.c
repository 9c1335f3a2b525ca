/*
 * What a link can cost at least: messages of 1 MiB one way between two processes, over relays that do nothing but
 * copy and encrypt (docs/performance.md). Usage: tunnel WAY LAYOUT
 *
 * WAY     raw       sender and receiver, one TCP connection
 *         plain     sender - TCP - 127.0.0.1:$NEAR ... 127.0.0.1:$FAR - TCP - receiver: somebody else's tunnel
 *         sockets   sender - Unix socket - relay - TLS 1.3 over TCP - relay - Unix socket - receiver
 *         clear     the same without TLS: what copying costs alone
 *         memory    TLS again, with a ring of shared memory in place of each Unix socket
 * LAYOUT  together  everything on processor 0
 *         sites     sender and its relay on processor 0, the others on 1
 *
 * Prints the time of a message in microseconds. Needs cert.pem and key.pem in the working directory.
 */
#include "floor.h"
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <semaphore.h>
#include <sys/mman.h>

enum { MESSAGE = 1 << 20, PIECE = 1 << 18, SLOTS = 8, WARMUP = 100, MESSAGES = 1500 };

/** One direction of bytes between a process and its relay: a socket, or pieces in shared memory. */
typedef struct {
    sem_t full, empty;
    size_t bytes[SLOTS];
    char piece[SLOTS][PIECE] __attribute__((aligned(4096)));
} Ring;

static struct sockaddr_in loopback(int port) {
    return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static int listening(int *port) {
    int at = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    struct sockaddr_in address = loopback(*port);
    socklen_t bytes = sizeof address;
    setsockopt(at, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    require(bind(at, (struct sockaddr *)&address, bytes) == 0 && listen(at, 4) == 0, "listen");
    getsockname(at, (struct sockaddr *)&address, &bytes);
    *port = ntohs(address.sin_port);
    return at;
}

static int connected(int port) {
    int to = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    struct sockaddr_in address = loopback(port);
    require(connect(to, (struct sockaddr *)&address, sizeof address) == 0, "connect");
    setsockopt(to, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return to;
}

/** What the other end says is no more than its session tickets. */
static void awaitEnd(int of) {
    char bytes[256];
    while (read(of, bytes, sizeof bytes) > 0) {
    }
}

/* ---- what a program does */

static void sendAll(int to) {
    char *message = buffer(MESSAGE);
    for (int i = 0; i < WARMUP + MESSAGES; i++) {
        put(to, message, MESSAGE);
    }
    shutdown(to, SHUT_WR);
    awaitEnd(to);
}

static double receiveAll(int from) {
    char *message = buffer(MESSAGE);
    double start = 0;
    for (int i = 0; i < WARMUP + MESSAGES; i++) {
        start = i == WARMUP ? micros() : start;
        get(from, message, MESSAGE);
    }
    return (micros() - start) / MESSAGES;
}

static Ring *ring(void) {
    Ring *made = mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    require(made != MAP_FAILED, "mmap");
    memset(made, 0, sizeof *made);
    sem_init(&made->full, 1, 0);
    sem_init(&made->empty, 1, SLOTS);
    return made;
}

static void sendAllInto(Ring *to) {
    char *message = buffer(MESSAGE);
    int slot = 0;
    for (long left = (long)(WARMUP + MESSAGES) * MESSAGE; left >= 0; left -= PIECE, slot = (slot + 1) % SLOTS) {
        sem_wait(&to->empty);
        to->bytes[slot] = left == 0 ? 0 : PIECE;
        memcpy(to->piece[slot], message + left % MESSAGE, to->bytes[slot]);
        sem_post(&to->full);
    }
}

static double receiveAllFrom(Ring *from) {
    char *message = buffer(MESSAGE + PIECE);
    double start = 0;
    long all = 0;
    for (int slot = 0;; slot = (slot + 1) % SLOTS) {
        sem_wait(&from->full);
        size_t bytes = from->bytes[slot];
        if (bytes == 0) {
            require(all == (long)(WARMUP + MESSAGES) * MESSAGE, "not all has come");
            return (micros() - start) / MESSAGES;
        }
        memcpy(message + all % MESSAGE, from->piece[slot], bytes);
        all += bytes;
        start = start == 0 && all >= (long)WARMUP * MESSAGE ? micros() : start;
        sem_post(&from->empty);
    }
}

/* ---- what a relay does */

static int clear;

/** @return NULL if the relays of this way do not encrypt */
static SSL *secured(int socket, int accepts) {
    if (clear) {
        return NULL;
    }
    SSL_CTX *context = SSL_CTX_new(accepts ? TLS_server_method() : TLS_client_method());
    SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
    SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256");
    if (accepts) {
        require(SSL_CTX_use_certificate_file(context, "cert.pem", SSL_FILETYPE_PEM) == 1, "cert.pem");
        require(SSL_CTX_use_PrivateKey_file(context, "key.pem", SSL_FILETYPE_PEM) == 1, "key.pem");
    }
    SSL *session = SSL_new(context);
    SSL_set_fd(session, socket);
    require((accepts ? SSL_accept(session) : SSL_connect(session)) == 1, "handshake");
    return session;
}

/** From here on it reads what BIO_write gave it, or writes what BIO_get_mem_data takes. */
static BIO *detached(SSL *session, int reads) {
    BIO *memory = BIO_new(BIO_s_mem()), *other = BIO_new(BIO_s_mem());
    BIO_set_mem_eof_return(memory, -1);
    BIO_set_mem_eof_return(other, -1);
    SSL_set_bio(session, reads ? memory : other, reads ? other : memory);
    return memory;
}

static void encrypt(SSL *session, BIO *records, const char *piece, size_t bytes, int to) {
    require(SSL_write(session, piece, bytes) == (int)bytes, "SSL_write");
    char *written;
    long length = BIO_get_mem_data(records, &written);
    put(to, written, length);
    BIO_reset(records);
}

static void pass(int from, int to) {
    char *piece = buffer(PIECE);
    for (ssize_t n; (n = read(from, piece, PIECE)) > 0;) {
        put(to, piece, n);
    }
    shutdown(to, SHUT_WR);
}

static void relayOut(int from, Ring *ring, int to) {
    SSL *session = secured(to, 0);
    if (session == NULL) {
        pass(from, to);
        awaitEnd(to);
        return;
    }
    BIO *records = detached(session, 0);
    if (ring == NULL) {
        char *piece = buffer(PIECE);
        for (ssize_t n; (n = read(from, piece, PIECE)) > 0;) {
            encrypt(session, records, piece, n, to);
        }
    } else {
        for (int slot = 0; sem_wait(&ring->full), ring->bytes[slot] > 0; slot = (slot + 1) % SLOTS) {
            encrypt(session, records, ring->piece[slot], ring->bytes[slot], to);
            sem_post(&ring->empty);
        }
    }
    shutdown(to, SHUT_WR);
    awaitEnd(to);
}

/** What can be decrypted now, at most a piece; 0 if a record is not there as a whole. */
static size_t decrypt(SSL *session, char *piece) {
    size_t have = 0;
    for (int n; have < PIECE && (n = SSL_read(session, piece + have, PIECE - have)) > 0; have += n) {
    }
    return have;
}

static void relayIn(int from, int to, Ring *ring) {
    SSL *session = secured(from, 1);
    if (session == NULL) {
        pass(from, to);
        return;
    }
    BIO *records = detached(session, 1);
    char *arrived = buffer(PIECE), *piece = buffer(PIECE);
    int slot = 0;
    for (ssize_t n; (n = read(from, arrived, PIECE)) > 0;) {
        BIO_write(records, arrived, n);
        if (ring == NULL) {
            for (size_t bytes; (bytes = decrypt(session, piece)) > 0;) {
                put(to, piece, bytes);
            }
            continue;
        }
        for (;;) {
            sem_wait(&ring->empty);
            size_t bytes = decrypt(session, ring->piece[slot]);
            if (bytes == 0) {
                sem_post(&ring->empty);
                break;
            }
            ring->bytes[slot] = bytes;
            slot = (slot + 1) % SLOTS;
            sem_post(&ring->full);
        }
    }
    if (ring == NULL) {
        shutdown(to, SHUT_WR);
    } else {
        sem_wait(&ring->empty);
        ring->bytes[slot] = 0;
        sem_post(&ring->full);
    }
}

static double direct(int near, int listens, int far) {
    int at = listening(&listens);
    if (child(0)) {
        sendAll(connected(near > 0 ? near : listens));
        exit(0);
    }
    pin(far);
    int from = accept(at, NULL, NULL);
    double time = receiveAll(from);
    close(from);
    return time;
}

static double relayed(int memory, int far) {
    int out[2], in[2], port = 0, at = listening(&port);
    Ring *outRing = memory ? ring() : NULL, *inRing = memory ? ring() : NULL;
    pair(out);
    pair(in);
    if (child(0)) {
        close(out[1]);
        memory ? sendAllInto(outRing) : sendAll(out[0]);
        exit(0);
    }
    if (child(0)) {
        close(out[0]);
        relayOut(out[1], outRing, connected(port));
        exit(0);
    }
    if (child(far)) {
        close(in[0]);
        relayIn(accept(at, NULL, NULL), in[1], inRing);
        exit(0);
    }
    close(out[0]);
    close(out[1]);
    close(in[1]);
    pin(far);
    double time = memory ? receiveAllFrom(inRing) : receiveAll(in[0]);
    close(in[0]);
    return time;
}

int main(int count, char **words) {
    require(count == 3, "usage: tunnel raw|plain|sockets|clear|memory together|sites");
    int far = strcmp(words[2], "sites") == 0;
    clear = strcmp(words[1], "clear") == 0;
    double time = strcmp(words[1], "raw") == 0 ? direct(0, 0, far)
            : strcmp(words[1], "plain") == 0   ? direct(atoi(getenv("NEAR")), atoi(getenv("FAR")), far)
                                               : relayed(strcmp(words[1], "memory") == 0, far);
    while (wait(NULL) > 0) {
    }
    printf("%.0f\n", time);
    return 0;
}
