package org.posthouse.directory;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.posthouse.causes.Causes;
import org.posthouse.peer.PeerUser;
import org.posthouse.peer.PeerUsers;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks every connection between a member of the group and its sockets. It admits only processes of this relay's own
 * user, or root, that prove to be a relay of the grid ({@link GroupHandshake}). Thread-safe; one for each member.
 *
 * <p>Members meet on loopback only, so the other end of accepted and dialled connections is a process of this host: a
 * relay, or its end of a link. Where the system cannot tell its user, the handshake alone decides. A refused connection
 * is closed, counted and logged at a bounded rate.
 */
final class GroupGuard {
    private static final Logger LOG = LoggerFactory.getLogger(GroupGuard.class);

    /** Milliseconds from the first byte of a handshake to the last: two round trips, over a link that may stall. */
    private static final long HANDSHAKE_MS_MAX = 10_000;

    /**
     * Limit of accepted connections that have not proven anything; further ones wait in the system's backlog. Each
     * holds a file and about 20 KB.
     */
    private static final int UNPROVEN_MAX = 64;

    private final GroupConfig config;
    private final UserSecret secret;
    private final PeerUsers users;
    private final long handshakeMsMax;
    private final GroupRefusals refusals;
    private final PacketBudget packets = PacketBudget.ofHeap(Runtime.getRuntime().maxMemory());
    private final Map<SocketChannel, GroupHandshake.Peer> proven = new ConcurrentHashMap<>();

    /** Relays that are not admitted whatever they prove. */
    private final Set<String> barred = ConcurrentHashMap.newKeySet();

    private final Semaphore unproven = new Semaphore(UNPROVEN_MAX);

    /** Members, by address, that were dialled during the start and ask for keys that this relay does not have. */
    private final Map<String, KeysRequiredException> keysAsked = new ConcurrentSkipListMap<>();

    /**
     * Whether the member has started, so that refusals for want of keys are reported as any other. Written once by the
     * thread that starts the member, read by those that check connections.
     */
    private volatile boolean started;

    GroupGuard(GroupConfig config) {
        this(config, UserSecret.ofUser(), PeerUsers.ofHost(), HANDSHAKE_MS_MAX, System::nanoTime);
    }

    GroupGuard(GroupConfig config, UserSecret secret, PeerUsers users, long handshakeMsMax, LongSupplier nanoTime) {
        this.config = config;
        this.secret = secret;
        this.users = users;
        this.handshakeMsMax = handshakeMsMax;
        this.refusals = new GroupRefusals(config.relay(), nanoTime);
    }

    PacketBudget packets() {
        return packets;
    }

    Map<GroupRefusal, Long> refusals() {
        return refusals.counts();
    }

    void refused(GroupRefusal kind, String who, String detail) {
        refusals.count(kind, who, detail);
    }

    /**
     * Blocks until there is room for one more connection that has not proven anything; each {@link #accept} makes room
     * again.
     */
    void awaitRoom() {
        unproven.acquireUninterruptibly();
    }

    /**
     * Checks an accepted connection, after {@link #awaitRoom}. Blocks for at most about 10 s.
     *
     * @throws IOException if the connection must be closed
     */
    void accept(SocketChannel channel) throws IOException {
        try {
            check(channel, true);
        } finally {
            unproven.release();
        }
    }

    /**
     * Checks a dialled connection. Blocks for at most about 10 s.
     *
     * @throws IOException if the connection must be closed
     */
    void dial(SocketChannel channel) throws IOException {
        check(channel, false);
    }

    /**
     * Called when the member has joined all members that it could reach. From then on refusals for want of keys are
     * reported as any other.
     *
     * @throws GroupException in one line, if all members that could be reached ask for keys; this relay would stay
     *         alone for good
     */
    void joined() {
        started = true;
        if (!keysAsked.isEmpty() && proven.isEmpty()) {
            throw new GroupException("relay " + config.relay() + " was started without keys, and the group's member at " + String.join(", ", keysAsked.keySet())
                    + " has keys, as all relays of one group have or none; give --keys DIR with --links or --peer, or start it without --member");
        }
        keysAsked.forEach((address, refusal) -> refusals.count(refusal.kind(), "member at " + address, refusal.getMessage()));
    }

    private void check(SocketChannel channel, boolean accepted) throws IOException {
        InetSocketAddress other = (InetSocketAddress) channel.getRemoteAddress();
        String address = other.getAddress().getHostAddress() + ":" + other.getPort();
        try {
            GroupHandshake handshake = new GroupHandshake(config, secret, () -> isUserKnown(channel), wire(channel.socket()));
            GroupHandshake.Peer peer = accepted ? handshake.accept() : handshake.dial(address);
            channel.socket().setSoTimeout(0);
            if (barred.contains(peer.relay())) {
                throw new GroupRefusedException(GroupRefusal.NOT_PROVEN, "relay " + peer.relay() + " is barred");
            }
            proven.put(channel, peer);
            LOG.debug("relay {}: group: relay {} has proven itself at {}", config.relay(), peer.relay(), address);
        } catch (KeysRequiredException e) {
            if (accepted || started) {
                refusals.count(e.kind(), (accepted ? "a connection of " : "member at ") + address, e.getMessage());
            } else {
                keysAsked.put(address, e);
            }
            throw e;
        } catch (GroupRefusedException e) {
            refusals.count(e.kind(), (accepted ? "a connection of " : "member at ") + address, e.getMessage());
            throw e;
        } catch (SocketTimeoutException | EOFException e) {
            String why = e instanceof EOFException ? "the connection ended before the handshake did" : "no handshake in " + handshakeMsMax + " ms";
            if (accepted) {
                refusals.count(GroupRefusal.NO_HANDSHAKE, "a connection of " + address, why);
            }
            throw new GroupRefusedException(GroupRefusal.NO_HANDSHAKE, why + ": " + Causes.text(e));
        }
    }

    /** Closes connections whose certificate has been revoked since the handshake. Called periodically. */
    void expel() {
        proven.keySet().removeIf(channel -> !channel.isOpen());
        proven.forEach((channel, peer) -> {
            if (config.proof().isPresent() && config.proof().get().isRevoked(peer.certificate())) {
                close(channel, "its certificate was revoked");
            }
        });
    }

    /** The relay that has proven itself on a connection. */
    Optional<String> provenRelay(SocketChannel channel) {
        return Optional.ofNullable(proven.get(channel)).map(GroupHandshake.Peer::relay);
    }

    /** Closes a relay's connections and admits no other, until this relay is started again. */
    void bar(String relay, String why) {
        barred.add(relay);
        proven.forEach((channel, peer) -> {
            if (peer.relay().equals(relay)) {
                close(channel, why);
            }
        });
    }

    /** Undoes {@link #bar}; for tests. */
    void readmit(String relay) {
        barred.remove(relay);
    }

    private void close(SocketChannel channel, String why) {
        try {
            refusals.count(GroupRefusal.NOT_PROVEN, "a connection with " + channel.getRemoteAddress(), why);
            channel.close();
        } catch (IOException e) {
            LOG.debug("relay {}: group: a connection was closed meanwhile", config.relay(), e);
        }
    }

    private boolean isUserKnown(SocketChannel channel) throws IOException {
        PeerUser user = users.find(channel.getLocalAddress(), channel.getRemoteAddress());
        if (user.trust() == PeerUser.Trust.FOREIGN) {
            throw new GroupRefusedException(GroupRefusal.FOREIGN_USER, "it is of " + user);
        }
        return user.trust() == PeerUser.Trust.TRUSTED;
    }

    private GroupHandshake.Wire wire(Socket socket) {
        long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(handshakeMsMax);
        return new GroupHandshake.Wire() {
            @Override
            public byte[] read(int bytes) throws IOException {
                byte[] all = new byte[bytes];
                int have = 0;
                while (have < bytes) {
                    long leftMs = TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime());
                    if (leftMs <= 0) {
                        throw new SocketTimeoutException("after " + have + " of " + bytes + " bytes");
                    }
                    socket.setSoTimeout((int) leftMs);
                    int read = socket.getInputStream().read(all, have, bytes - have);
                    if (read < 0) {
                        throw new EOFException("after " + have + " of " + bytes + " bytes");
                    }
                    have += read;
                }
                return all;
            }

            @Override
            public void write(byte[] bytes) throws IOException {
                socket.getOutputStream().write(bytes);
            }
        };
    }
}
