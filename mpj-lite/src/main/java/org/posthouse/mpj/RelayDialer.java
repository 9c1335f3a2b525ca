package org.posthouse.mpj;

import java.io.IOException;
import java.net.ConnectException;
import java.util.concurrent.TimeUnit;
import org.posthouse.wire.Hello;
import org.posthouse.wire.Identify;
import org.posthouse.wire.Nonce;
import org.posthouse.wire.WireException;

/**
 * How a rank reaches its relay, and proves to it who it is; and again: it tries, and waits longer each time, until its time is over. For the one thread that
 * reads, but for {@link #arrived}, which is said under the endpoint's lock when nobody dials.
 */
final class RelayDialer {
    /** How long a relay that has asked the rank to connect again may refuse it. */
    static final long MOVE_MS_MAX = 10_000;

    private static final long PAUSE_MS = 5;
    private static final long MOVE_PAUSE_MS_MAX = 200;
    private static final long PAUSE_MS_MAX = 1_000;

    /**
     * The same behind an answer: each leaves a port of this host unused for a minute (TIME_WAIT), of some 28,000 that it has for one relay, so that 2,000 ranks can wait
     * for theirs.
     */
    private static final long EARLY_PAUSE_MS_MAX = 5_000;

    private final Platform machine;
    private final RelayAddresses relay;
    private final Hello self;
    private final Credentials credentials;
    private final int busyPollUs;
    private final long msMax;

    /** How long to wait before the next try; 0 if there was none yet. How long at most before the one behind it. Until when to try. */
    private long pauseMs;

    private long pauseMsMax = PAUSE_MS_MAX;
    private long end;

    /** When the last of these tries was begun, with the pause before it. */
    private long began;

    /** How many connections there were. */
    private long lines;

    /**
     * @param self whose connections these are
     * @param msMax how long to try when the connection has broken
     */
    RelayDialer(Platform machine, String relay, Hello self, Credentials credentials, int busyPollUs, long msMax) {
        this.machine = machine;
        this.relay = new RelayAddresses(relay);
        this.self = self;
        this.credentials = credentials;
        this.busyPollUs = busyPollUs;
        this.msMax = msMax;
    }

    /** One try. HELLO is to be said on the connection, unless it {@link FrameChannel#isOver is over}. */
    FrameChannel once() throws IOException {
        // Before the connection, which the relay closes if it says nothing for long: on a busy host each class takes its time.
        Identify identify = Identify.of(self, Nonce.derived(credentials.token(), machine.nanoTime(), ++lines));
        FrameChannel line = FrameChannel.connect(machine, relay, busyPollUs);
        try {
            RelayAuthentication.prove(line, credentials.token(), identify, (to, challenge) -> credentials.check(to, identify, challenge));
            return line;
        } catch (WireException e) {
            line.close();
            throw new UnprovenRelayException("whoever listens at " + line.remote() + " does not speak as a relay of this version does: " + e.getMessage());
        } catch (IOException | RuntimeException e) {
            line.close();
            throw e;
        }
    }

    /** The relay has asked for it: as long as it refuses, again and again. */
    FrameChannel move(long refusedMsMax) throws IOException {
        long over = machine.nanoTime() + TimeUnit.MILLISECONDS.toNanos(refusedMsMax);
        for (long ms = PAUSE_MS;; ms = Math.min(2 * ms, MOVE_PAUSE_MS_MAX)) {
            try {
                return once();
            } catch (IOException e) {
                if (!(e.getCause() instanceof ConnectException)) {
                    throw e;
                }
                if (machine.nanoTime() - over >= 0) {
                    throw new IOException(
                            e.getMessage() + ", for " + refusedMsMax + " ms after it asked this rank to connect again", e);
                }
            }
            pause(ms);
        }
    }

    /**
     * The connection has broken, or was refused for now: whatever the fault is, again and again.
     *
     * @param why what the fault was
     * @param awaits whether a relay that is not there is waited for, too
     * @throws IOException when the time is over, with the last fault
     */
    FrameChannel again(IOException why, boolean awaits) throws IOException {
        if (pauseMs == 0) {
            end = machine.nanoTime() + TimeUnit.MILLISECONDS.toNanos(msMax);
        }
        IOException last = why;
        for (began = machine.nanoTime(); began - end < 0; began = machine.nanoTime()) {
            if (pauseMs > 0) {
                pause(pauseMs);
            }
            pauseMs = pauseMs == 0 ? PAUSE_MS : Math.min(2 * pauseMs, pauseMsMax);
            try {
                return once();
            } catch (IOException e) {
                if (!awaits && (e.getCause() instanceof ConnectException || e instanceof UnprovenRelayException)) {
                    throw e;
                }
                last = e;
            }
        }
        throw new IOException(
                last.getMessage() + "; it has not come back for " + TimeUnit.MILLISECONDS.toSeconds(msMax) + " s ("
                        + Settings.RECONNECT_S + ")",
                last);
    }

    /** Who was reached by the last try is the relay, which has not read its log yet: the time that this took is not counted. */
    void early() {
        end += machine.nanoTime() - began;
        pauseMsMax = EARLY_PAUSE_MS_MAX;
    }

    /** The relay has greeted the rank: the next break is another. */
    void arrived() {
        pauseMs = 0;
        pauseMsMax = PAUSE_MS_MAX;
    }

    /** Sleeps, interrupted or not. */
    private void pause(long ms) {
        long end = machine.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
        boolean interrupted = false;
        for (long left = ms; left > 0; left = TimeUnit.NANOSECONDS.toMillis(end - machine.nanoTime())) {
            try {
                machine.sleep(left);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
