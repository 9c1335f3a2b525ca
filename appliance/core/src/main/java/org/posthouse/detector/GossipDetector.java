package org.posthouse.detector;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.posthouse.wire.DetectorMessage;

/**
 * A detector by gossip (P2P-MPI chapter): each host has a vector of beats, raises its own in each round and sends the
 * vector to one other. Who has not been heard of, by any way, for the cleanup time is suspected and checked.
 *
 * <p>A message carries the whole vector. In a cycle every living host's beat has risen, and each destination of a
 * binary round robin is met once in a cycle: a list of the changed beats would never be shorter.
 */
final class GossipDetector implements Detector {
    /** Most checks that a host has under way. After a cut between two sites each host suspects all of the other. */
    private static final int CHECKS_MAX = 16;

    private final DetectorSettings settings;
    private final DetectorPort port;
    private final RandomGenerator random;
    private final RingViews ring = new RingViews();
    private final SuspicionChecks checks;
    private final PingAnswers answers;
    private final LocalHealth health;

    /** Hosts that their relay has told to be dead, until the ring is without them. */
    private final Set<Integer> dead = new HashSet<>();

    /** Newest beat of each host, and when it rose here. */
    private int[] beats = {};
    private long[] rises = {};

    private RoundSchedule schedule;
    private long cleanupNanos;
    private long originNanos;
    private long lastRound = Long.MIN_VALUE;
    private long nextRoundNanos;

    GossipDetector(DetectorSettings settings, DetectorPort port, RandomGenerator random) {
        this.settings = settings;
        this.port = port;
        this.random = random;
        this.checks = new SuspicionChecks(settings, port, random, ring);
        this.answers = new PingAnswers(settings.self(), port, List::of);
        this.health = new LocalHealth(settings.periodNanos());
    }

    @Override
    public void origin(long nanos) {
        originNanos = nanos;
    }

    @Override
    public void view(long fromRound, int[] living) {
        ring.add(fromRound, living);
        for (int host : living) {
            dead.remove(host); // The launcher has it among the living again.
        }
    }

    @Override
    public void tick(long nowNanos) {
        if (health.stoodStill(nowNanos)) {
            Arrays.fill(rises, nowNanos);
            checks.restart(nowNanos);
        }
        long round = Math.floorDiv(nowNanos - originNanos, settings.periodNanos());
        nextRoundNanos = originNanos + (round + 1) * settings.periodNanos();
        if (round > lastRound) {
            lastRound = round;
            begin(round, nowNanos);
        }
        checks.tick(settings.self(), nowNanos);
        health.expect(wakeNanos());
    }

    private void begin(long round, long nowNanos) {
        if (ring.advance(round)) {
            onRing(nowNanos);
        }
        int place = ring.place(settings.self());
        if (place < 0 || ring.living().length < 2) {
            return;
        }
        suspectSilent(nowNanos);
        beats[settings.self()]++;
        int to = ring.living()[schedule.destination(place, round, random)];
        port.send(to, new DetectorMessage.Beats(beats.clone()));
    }

    /**
     * The ring has changed. Beats of before may be under way in the old order, and beats of now in the new one: the time of
     * silence counts anew for all.
     */
    private void onRing(long nowNanos) {
        int[] living = ring.living();
        int hosts = Math.max(beats.length, living.length == 0 ? 0 : living[living.length - 1] + 1);
        beats = Arrays.copyOf(beats, hosts);
        rises = new long[hosts];
        Arrays.fill(rises, nowNanos);
        schedule = new RoundSchedule(settings.protocol(), Math.max(1, living.length));
        cleanupNanos = schedule.cleanupNanos(settings.periodNanos(), settings.delayNanos(), settings.commonClock());
        checks.retainRing();
        dead.removeIf(host -> !ring.has(host));
    }

    /** Begins behind this host's own place: where many are silent, each host checks others of them. */
    private void suspectSilent(long nowNanos) {
        int[] living = ring.living();
        int place = ring.place(settings.self());
        for (int i = 1; i < living.length && checks.count() < CHECKS_MAX; i++) {
            int host = living[(place + i) % living.length];
            if (nowNanos - rises[host] > cleanupNanos && !dead.contains(host)) {
                checks.begin(host, nowNanos);
            }
        }
    }

    @Override
    public long wakeNanos() {
        return checks.wakeNanos(nextRoundNanos);
    }

    /** What a host says that is not in the ring does not count: it was removed, or is not in it yet. */
    @Override
    public void onMessage(int from, DetectorMessage message, long nowNanos) {
        if (!ring.has(from)) {
            return;
        }
        if (message instanceof DetectorMessage.Beats m) {
            merge(m.beats(), nowNanos);
        } else if (message instanceof DetectorMessage.Ping m) {
            answers.onPing(from, m);
        } else if (message instanceof DetectorMessage.PingRequest m && ring.has(m.host())) {
            answers.onRequest(from, m);
        } else if (message instanceof DetectorMessage.Ack m && ring.has(m.host())) {
            answers.onAck(m);
            live(m.host(), nowNanos);
        }
    }

    /**
     * Beats are serial numbers (RFC 1982): they may begin anew at 0. What others remember of this host's own may be of its earlier process, and it goes on
     * from there; else nobody would see its beats rise.
     */
    private void merge(int[] others, long nowNanos) {
        for (int host : ring.living()) {
            if (host < others.length && others[host] - beats[host] > 0) {
                beats[host] = others[host];
                if (host != settings.self()) {
                    live(host, nowNanos);
                }
            }
        }
    }

    private void live(int host, long nowNanos) {
        rises[host] = nowNanos;
        checks.refute(host);
    }

    @Override
    public void onVerdict(int host, boolean isDead, long nowNanos) {
        if (!ring.has(host)) {
            return;
        }
        if (isDead) {
            dead.add(host);
            checks.drop(host);
        } else {
            live(host, nowNanos);
        }
    }
}
