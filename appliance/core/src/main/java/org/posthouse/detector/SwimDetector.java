package org.posthouse.detector;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.posthouse.wire.DetectorMessage;
import org.posthouse.wire.DetectorMessage.State;
import org.posthouse.wire.DetectorMessage.Update;

/**
 * SWIM (Das, Gupta, Motivala 2002) with Lifeguard's extensions (Dadgar, Phillips, Currey 2018): each period one member of a
 * shuffled list is probed, then by three others. A silent member is suspected, which it may refute with a higher
 * incarnation. The time until the relay is asked shrinks with the number of members that suspect it too, and grows with
 * our own bad health.
 */
final class SwimDetector implements Detector {
    private final DetectorSettings settings;
    private final DetectorPort port;
    private final RandomGenerator random;
    private final RingViews ring = new RingViews();
    private final SuspicionChecks questions;
    private final PingAnswers answers;
    private final UpdateQueue updates = new UpdateQueue();
    private final LocalHealth health;
    private final HealthMultiplier multiplier = new HealthMultiplier();

    /** Members in the order in which they are probed. */
    private final List<Integer> order = new ArrayList<>();

    private final Map<Integer, Long> incarnations = new LinkedHashMap<>();
    private final Map<Integer, SwimSuspicion> suspicions = new LinkedHashMap<>();
    private final Set<Integer> dead = new HashSet<>();

    private long originNanos;
    private long lastRound = Long.MIN_VALUE;
    private long nextRoundNanos;

    /** The probe under way: its member, or -1; its number; when others are asked; when it has failed and the next begins. */
    private int probed = -1;
    private long number;
    private long helpNanos;
    private boolean hasHelp;
    private long failNanos;

    SwimDetector(DetectorSettings settings, DetectorPort port, RandomGenerator random) {
        this.settings = settings;
        this.port = port;
        this.random = random;
        this.questions = new SuspicionChecks(settings, port, random, ring);
        this.answers = new PingAnswers(settings.self(), port, this::carried);
        this.health = new LocalHealth(settings.periodNanos());
    }

    @Override
    public void origin(long nanos) {
        originNanos = nanos;
    }

    @Override
    public void view(long fromRound, int[] living) {
        ring.add(fromRound, living);
        for (int member : living) {
            dead.remove(member); // The launcher has it among the living again.
        }
    }

    @Override
    public void tick(long nowNanos) {
        if (health.stoodStill(nowNanos)) {
            standstill(nowNanos);
        }
        long round = Math.floorDiv(nowNanos - originNanos, settings.periodNanos());
        nextRoundNanos = originNanos + (round + 1) * settings.periodNanos();
        if (lastRound == Long.MIN_VALUE) {
            failNanos = nowNanos;
        }
        if (round > lastRound) {
            lastRound = round;
            if (ring.advance(round)) {
                onRing();
            }
        }
        probe(nowNanos);
        suspicions.forEach((member, suspicion) -> {
            if (suspicion.isOver(ring.living().length, nowNanos)) {
                questions.ask(member, settings.self(), nowNanos);
            }
        });
        questions.tick(settings.self(), nowNanos);
        health.expect(wakeNanos());
    }

    /** Answers may wait for us: nothing that we missed counts against others. */
    private void standstill(long nowNanos) {
        multiplier.worse();
        probed = -1;
        suspicions.values().forEach(suspicion -> suspicion.restart(nowNanos));
        suspicions.keySet().forEach(questions::drop);
    }

    private void onRing() {
        order.clear();
        dead.removeIf(member -> !ring.has(member));
        suspicions.keySet().removeIf(member -> !ring.has(member));
        incarnations.keySet().removeIf(member -> !ring.has(member));
        updates.retain(ring::has);
        questions.retainRing();
        probed = ring.has(probed) ? probed : -1;
    }

    private void probe(long nowNanos) {
        if (probed >= 0 && !hasHelp && nowNanos - helpNanos >= 0) {
            hasHelp = true;
            int target = probed;
            SuspicionChecks.drawn(ring, random, other -> other != target && other != settings.self() && !suspicions.containsKey(other))
                    .forEach(helper -> port.send(helper, new DetectorMessage.PingRequest(number, target, carried())));
        }
        if (probed >= 0 && nowNanos - failNanos >= 0) {
            int silent = probed;
            probed = -1;
            multiplier.worse();
            suspect(silent, incarnations.getOrDefault(silent, 0L), settings.self(), nowNanos);
        }
        if (probed < 0 && hasOthers() && nowNanos - failNanos >= 0) {
            begin(next(), nowNanos);
        }
    }

    private boolean hasOthers() {
        return ring.has(settings.self()) && ring.living().length > 1;
    }

    private int next() {
        while (true) {
            if (order.isEmpty()) {
                for (int member : ring.living()) {
                    if (member != settings.self()) {
                        order.add(member);
                    }
                }
                Collections.shuffle(order, random);
            }
            return order.removeLast();
        }
    }

    private void begin(int member, long nowNanos) {
        long periodNanos = settings.periodNanos() * multiplier.factor();
        failNanos = nowNanos + Math.max(periodNanos, 8 * settings.delayNanos());
        if (dead.contains(member)) {
            return;
        }
        probed = member;
        number++;
        hasHelp = false;
        helpNanos = nowNanos + Math.max(periodNanos / 2, 4 * settings.delayNanos());
        port.send(member, new DetectorMessage.Ping(number, carriedTo(member)));
    }

    /** A suspect is always told so, that it may refute it. */
    private List<Update> carriedTo(int member) {
        List<Update> news = new ArrayList<>(carried());
        boolean isTold = news.stream().anyMatch(update -> update.host() == member);
        if (suspicions.containsKey(member) && !isTold && news.size() < DetectorMessage.UPDATES_MAX) {
            news.add(new Update(member, State.SUSPECT, incarnations.getOrDefault(member, 0L), settings.self()));
        }
        return news;
    }

    @Override
    public long wakeNanos() {
        long wake = questions.wakeNanos(nextRoundNanos);
        if (hasOthers()) {
            wake = earlier(wake, probed < 0 || hasHelp ? failNanos : helpNanos);
        }
        for (SwimSuspicion suspicion : suspicions.values()) {
            wake = suspicion.isAsked() ? wake : earlier(wake, suspicion.deadlineNanos(ring.living().length));
        }
        return wake;
    }

    private static long earlier(long a, long b) {
        return a - b < 0 ? a : b;
    }

    private List<Update> carried() {
        return updates.take(ring.living().length);
    }

    @Override
    public void onMessage(int from, DetectorMessage message, long nowNanos) {
        if (!ring.has(from)) {
            return;
        }
        if (message instanceof DetectorMessage.Ping m) {
            m.updates().forEach(update -> learn(update, nowNanos));
            answers.onPing(from, m);
        } else if (message instanceof DetectorMessage.PingRequest m && ring.has(m.host())) {
            m.updates().forEach(update -> learn(update, nowNanos));
            answers.onRequest(from, m);
        } else if (message instanceof DetectorMessage.Ack m) {
            m.updates().forEach(update -> learn(update, nowNanos));
            answers.onAck(m);
            if (m.host() == probed && m.number() == number) {
                probed = -1;
                multiplier.better();
            }
        }
    }

    private void learn(Update update, long nowNanos) {
        int member = update.host();
        if (!ring.has(member)) {
            return;
        }
        if (member == settings.self()) {
            if (update.state() == State.SUSPECT && update.incarnation() >= incarnations.getOrDefault(member, 0L)) {
                multiplier.worse();
                raise(update.incarnation() + 1);
            }
        } else if (update.state() == State.SUSPECT) {
            suspect(member, update.incarnation(), update.by(), nowNanos);
        } else if (update.incarnation() > incarnations.getOrDefault(member, 0L)) {
            incarnations.put(member, update.incarnation());
            updates.add(update);
            refute(member);
        }
    }

    private void raise(long incarnation) {
        incarnations.put(settings.self(), incarnation);
        updates.add(new Update(settings.self(), State.ALIVE, incarnation, settings.self()));
    }

    private void refute(int member) {
        if (suspicions.remove(member) != null) {
            questions.drop(member);
            port.onRefuted(member);
        }
    }

    /** A first word begins a suspicion; each further host that says so shortens it. */
    private void suspect(int member, long incarnation, int by, long nowNanos) {
        if (incarnation < incarnations.getOrDefault(member, 0L) || dead.contains(member)) {
            return;
        }
        incarnations.put(member, incarnation);
        SwimSuspicion known = suspicions.get(member);
        if (known == null) {
            suspicions.put(member, new SwimSuspicion(by, settings.periodNanos(), nowNanos));
            port.onSuspected(member);
            updates.add(new Update(member, State.SUSPECT, incarnation, by));
        } else if (known.confirm(by, ring.living().length)) {
            updates.add(new Update(member, State.SUSPECT, incarnation, by));
        }
    }

    @Override
    public void onVerdict(int host, boolean isDead, long nowNanos) {
        if (!ring.has(host)) {
            return;
        }
        if (isDead) {
            dead.add(host);
            suspicions.remove(host);
            questions.drop(host);
        } else if (suspicions.containsKey(host)) {
            // Its own word with a higher incarnation is still to come; until then it is probed as before.
            refute(host);
        }
    }
}
