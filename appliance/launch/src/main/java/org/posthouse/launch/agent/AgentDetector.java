package org.posthouse.launch.agent;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.posthouse.detector.Detector;
import org.posthouse.detector.DetectorPort;
import org.posthouse.detector.DetectorProtocol;
import org.posthouse.detector.DetectorSettings;
import org.posthouse.wire.AgentMessage;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.DetectorMessage;
import org.posthouse.wire.DetectorQuestion;
import org.posthouse.wire.DetectorVerdict;
import org.posthouse.wire.Gossip;
import org.posthouse.wire.WireException;

/** An agent's failure detector for one job (docs/detectors.md). Confined to the agent's thread. */
final class AgentDetector {
    /** Runs tasks in the agent's thread. */
    interface Timer {
        void after(long nanos, Runnable task);
    }

    private final long job;
    private final Consumer<ByteBuffer> sender;
    private final Timer timer;
    private final RandomGenerator random = RandomGenerator.getDefault();

    /** Null before the first view. */
    private Detector detector;

    private AgentMessage.Detect view;

    /** Number of the newest task of the timer: earlier ones do nothing. */
    private long scheduled;
    private boolean isScheduled;
    private long scheduledNanos;
    private boolean isClosed;

    /** @param sender sends a frame to the relay */
    AgentDetector(long job, Consumer<ByteBuffer> sender, Timer timer) {
        this.job = job;
        this.sender = sender;
        this.timer = timer;
    }

    /**
     * The launcher has told the ring. A launcher that counts from a later moment, or has other hosts at the same numbers, is another one.
     *
     * @param delayNanos of a message to the relay and back, as measured
     */
    void onView(AgentMessage.Detect next, long delayNanos) throws WireException {
        boolean isAnother = view == null || next.elapsedMs() < view.elapsedMs() || next.self() != view.self() || !keepsNumbers(next);
        view = next;
        if (isAnother) {
            DetectorSettings settings = new DetectorSettings(
                    protocol(next), next.self(), TimeUnit.MILLISECONDS.toNanos(next.periodMs()), delayNanos, true);
            detector = Detector.of(settings, new Effects(), random);
        }
        long nowNanos = System.nanoTime();
        List<AgentMessage.DetectedHost> hosts = next.hosts();
        detector.origin(nowNanos - TimeUnit.MILLISECONDS.toNanos(next.elapsedMs()));
        detector.view(next.fromRound(), IntStream.range(0, hosts.size()).filter(host -> hosts.get(host).isLiving()).toArray());
        tick();
    }

    private boolean keepsNumbers(AgentMessage.Detect next) {
        List<AgentMessage.DetectedHost> hosts = view.hosts();
        return next.hosts().size() >= hosts.size()
                && IntStream.range(0, hosts.size()).allMatch(host -> hosts.get(host).agent() == next.hosts().get(host).agent());
    }

    private static DetectorProtocol protocol(AgentMessage.Detect view) throws WireException {
        try {
            return DetectorProtocol.of(view.protocol());
        } catch (IllegalArgumentException e) {
            throw new WireException(CloseReason.MALFORMED_FRAME, "DETECT: " + e.getMessage());
        }
    }

    void onGossip(Gossip gossip) throws WireException {
        DetectorMessage message = DetectorMessage.decode(gossip.message());
        if (detector != null && !isClosed) {
            detector.onMessage(gossip.from(), message, System.nanoTime());
            tickLater();
        }
    }

    void onVerdict(DetectorVerdict verdict) {
        if (detector != null && !isClosed) {
            List<AgentMessage.DetectedHost> hosts = view.hosts();
            IntStream.range(0, hosts.size())
                    .filter(host -> hosts.get(host).agent() == verdict.suspect())
                    .forEach(host -> detector.onVerdict(host, verdict.isDead(), System.nanoTime()));
            tickLater();
        }
    }

    /** The job has ended here. */
    void close() {
        isClosed = true;
    }

    private void tick() {
        if (!isClosed) {
            detector.tick(System.nanoTime());
            tickLater();
        }
    }

    private void tickLater() {
        long wakeNanos = detector.wakeNanos();
        if (!isScheduled || wakeNanos - scheduledNanos < 0) {
            isScheduled = true;
            scheduledNanos = wakeNanos;
            long number = ++scheduled;
            timer.after(Math.max(0, wakeNanos - System.nanoTime()), () -> {
                if (number == scheduled) {
                    isScheduled = false;
                    tick();
                }
            });
        }
    }

    private final class Effects implements DetectorPort {
        @Override
        public void send(int host, DetectorMessage message) {
            AgentMessage.DetectedHost to = view.hosts().get(host);
            sender.accept(new Gossip(job, to.agent(), to.home(), view.self(), message.encode()).encode());
        }

        @Override
        public void ask(int host) {
            AgentMessage.DetectedHost suspect = view.hosts().get(host);
            AgentMessage.DetectedHost self = view.hosts().get(view.self());
            sender.accept(new DetectorQuestion(job, suspect.agent(), suspect.home(), self.agent(), self.home(), view.periodMs()).encode());
        }

        @Override
        public void onSuspected(int host) {
            // The relay that is asked counts it.
        }

        @Override
        public void onRefuted(int host) {
            // As above.
        }
    }
}
