package org.posthouse.mpj.progress;

import java.io.IOException;
import java.net.ConnectException;
import java.util.concurrent.TimeUnit;
import org.posthouse.mpj.channel.Credentials;
import org.posthouse.mpj.channel.FrameChannel;
import org.posthouse.mpj.channel.Platform;
import org.posthouse.mpj.channel.RelayAddresses;
import org.posthouse.mpj.channel.RelayAuthentication;
import org.posthouse.mpj.channel.RelayTls;
import org.posthouse.mpj.channel.TlsRequiredException;
import org.posthouse.mpj.channel.UnprovenRelayException;
import org.posthouse.wire.Hello;
import org.posthouse.wire.Identify;
import org.posthouse.wire.Nonce;
import org.posthouse.wire.WireException;

/**
 * Connects and reconnects a rank to its relay, and authenticates. It retries with growing pauses until its time is
 * over. Confined to the reading thread, except {@link #arrived} and {@link #identify}, which are called under the
 * endpoint's lock when nobody dials.
 */
final class RelayDialer {
    /** Milliseconds for which to retry after a relay has asked the rank to reconnect but refuses it. */
    static final long MOVE_MS_MAX = 10_000;

    private static final long PAUSE_MS = 5;
    private static final long MOVE_PAUSE_MS_MAX = 200;
    private static final long PAUSE_MS_MAX = 1_000;

    /**
     * The longest pause after a relay answered. Each connection leaves a port of this host unused for a minute
     * (TIME_WAIT), of some 28,000 that it has for one relay. So 2,000 ranks can wait for their relay.
     */
    private static final long EARLY_PAUSE_MS_MAX = 5_000;

    private final Platform machine;
    private final RelayAddresses relay;
    private Hello self;
    private final Credentials credentials;
    private final int busyPollUs;
    private final long msMax;

    /**
     * The pause before the next try, 0 if there was none yet; the longest pause before the one behind it; and the end
     * of the tries.
     */
    private long pauseMs;

    private long pauseMsMax = PAUSE_MS_MAX;
    private long end;

    /** When the last of these tries began, including the pause before it. */
    private long began;

    /** Number of connections so far. */
    private long lines;

    /** Remembers that the relay wants TLS. */
    private final RelayTls tls = RelayTls.onDemand();

    /**
     * @param self the rank that connects
     * @param msMax how long to retry when the connection has broken
     */
    RelayDialer(Platform machine, String relay, Hello self, Credentials credentials, int busyPollUs, long msMax) {
        this.machine = machine;
        this.relay = new RelayAddresses(relay);
        this.self = self;
        this.credentials = credentials;
        this.busyPollUs = busyPollUs;
        this.msMax = msMax;
    }

    /** The process connects as this from here on. */
    void identify(Hello next) {
        self = next;
    }

    /** Tries once. The caller sends HELLO on the connection, unless it {@link FrameChannel#isOver is over}. */
    FrameChannel once() throws IOException {
        try {
            return dial();
        } catch (TlsRequiredException e) {
            if (tls.ask()) {
                return dial();
            }
            throw e;
        }
    }

    private FrameChannel dial() throws IOException {
        // Before the connection: the relay closes one that is silent for long, and on a busy host loading classes takes
        // time.
        Identify identify = Identify.of(self, Nonce.derived(credentials.token(), machine.nanoTime(), ++lines));
        FrameChannel line = FrameChannel.connect(machine, relay, tls, busyPollUs);
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

    /** Connects as the relay has asked; retries while it refuses. */
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
     * Reconnects after a break or a temporary refusal; retries after any fault.
     *
     * @param why what the fault was
     * @param awaits whether to wait for a relay that is down, too
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

    /** The last try reached the relay, which has not read its log yet: this time is not counted. */
    void early() {
        end += machine.nanoTime() - began;
        pauseMsMax = EARLY_PAUSE_MS_MAX;
    }

    /** The relay has sent WELCOME: a later break counts as a new one. */
    void arrived() {
        pauseMs = 0;
        pauseMsMax = PAUSE_MS_MAX;
    }

    /** Sleeps, also if interrupted. */
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
