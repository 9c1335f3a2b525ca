package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.posthouse.audit.Audit;
import org.posthouse.core.Job;
import org.posthouse.detector.VerdictChecks;
import org.posthouse.detector.VerdictPort;
import org.posthouse.relay.io.ArrivedFrame;
import org.posthouse.relay.shard.LinkedRelay;
import org.posthouse.status.DetectorCounts;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.DetectorCheck;
import org.posthouse.wire.DetectorQuestion;
import org.posthouse.wire.DetectorVerdict;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Gossip;
import org.posthouse.wire.WireException;

/**
 * What a relay does for the failure detectors of jobs (docs/detectors.md): passes their messages on, and decides about agents
 * of its own. An agent that does not answer is fenced: its connection is closed, and launchers are told. Confined to the
 * relay's control strand.
 */
final class HostDetection {
    private static final long TICK_MS = 100;
    private static final int FENCED_MAX = 4_096;

    /** How often an event may tell that the same agent is suspected. */
    private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Relay relay;
    private final VerdictChecks checks = new VerdictChecks(new Effects(), TimeUnit.MILLISECONDS.toNanos(TICK_MS));

    /** The questions about each agent that is checked, by asker: each asker has one that waits. */
    private final Map<Long, Map<Long, DetectorQuestion>> questions = new HashMap<>();

    /** Agents that were fenced and have not come back, oldest first: the newest {@value #FENCED_MAX}. */
    private final Set<Long> fenced = new LinkedHashSet<>();

    /** When it was told last that an agent is suspected, of those that are connected. */
    private final Map<Long, Long> toldNanos = new HashMap<>();

    private boolean isTicking;
    private DetectorCounts counts = DetectorCounts.NONE;

    HostDetection(Relay relay) {
        this.relay = relay;
    }

    DetectorCounts counts() {
        assert relay.inLoop();
        return counts;
    }

    // ---- frames of agents of this relay

    /** Passes a detector's message on. */
    void gossip(ByteBuf buffer, int index, int length) throws WireException {
        ByteBuffer frame = ArrivedFrame.copy(buffer, index, length);
        Gossip gossip = Gossip.decode(frame.duplicate());
        toAgent(gossip.job(), gossip.home(), gossip.agent(), frame);
    }

    /** Begins a check, here or at the suspect's relay. */
    void question(AgentSession asker, ByteBuf buffer, int index, int length) throws WireException {
        ByteBuffer frame = ArrivedFrame.copy(buffer, index, length);
        DetectorQuestion question = DetectorQuestion.decode(frame.duplicate());
        if (question.asker() != asker.agent()) {
            throw new WireException(
                    CloseReason.NOT_EXPECTED,
                    "DETECTOR_QUESTION of agent " + Job.hexId(question.asker()) + " from " + asker);
        }
        Optional<String> home = home(question.job(), question.home());
        if (home.isPresent() && home.get().equals(relay.id())) {
            check(question);
        } else {
            home.ifPresent(other -> toRelay(other, frame));
        }
    }

    /** An agent has sent a frame. */
    void onHeard(long agent) {
        checks.onHeard(agent, true);
    }

    /** An agent has connected. One that was fenced has lived all the time, or its host was started anew. */
    void onJoined(AgentSession session) {
        if (fenced.remove(session.agent())) {
            counts = counts.plusReturned();
            relay.events().add("NODE_VERDICT_WRONG", session + " is back: it was not dead when it was fenced");
        }
    }

    /** The end of a connection says more than a check: the launcher knows it, and waits for the agent or not. */
    void onLeft(long agent) {
        questions.remove(agent);
        toldNanos.remove(agent);
        checks.onHeard(agent, false);
    }

    // ---- frames of other relays

    /** Handles a frame of another relay: a message for an agent here, a question about one, or a verdict for one. */
    void fromLink(FrameType type, ByteBuffer frame) throws WireException {
        switch (type) {
            case GOSSIP -> {
                Gossip gossip = Gossip.decode(frame.duplicate());
                toOwnAgent(gossip.job(), gossip.agent(), frame);
            }
            case DETECTOR_QUESTION -> check(DetectorQuestion.decode(frame));
            case DETECTOR_VERDICT -> {
                DetectorVerdict verdict = DetectorVerdict.decode(frame.duplicate());
                toOwnAgent(verdict.job(), verdict.asker(), frame);
            }
            default -> throw new WireException(CloseReason.NOT_EXPECTED, type + " over a link");
        }
    }

    static boolean isDetection(FrameType type) {
        return type == FrameType.GOSSIP || type == FrameType.DETECTOR_QUESTION || type == FrameType.DETECTOR_VERDICT;
    }

    // ---- ways

    /** The id of a relay of an open job. */
    private Optional<String> home(long job, int home) {
        OpenJob open = relay.jobs().job(job);
        return open == null || home >= open.opening().homes().size() ? Optional.empty() : Optional.of(open.opening().homes().get(home).relay());
    }

    private void toAgent(long job, int home, long agent, ByteBuffer frame) {
        Optional<String> at = home(job, home);
        if (at.isPresent() && at.get().equals(relay.id())) {
            toOwnAgent(job, agent, frame);
        } else {
            at.ifPresentOrElse(other -> toRelay(other, frame), () -> counts = counts.plusDropped());
        }
    }

    private void toOwnAgent(long job, long agent, ByteBuffer frame) {
        Optional<AgentSession> session = relay.jobs().job(job) == null ? Optional.empty() : relay.agents().agent(agent);
        session.ifPresent(to -> to.write(frame));
        counts = session.isPresent() ? counts.plusPassed() : counts.plusDropped();
    }

    private void toRelay(String other, ByteBuffer frame) {
        Optional<LinkedRelay> linked = relay.links().known(other);
        boolean isSent = linked.isPresent() && linked.get().trySend(Unpooled.wrappedBuffer(frame));
        counts = isSent ? counts.plusPassed() : counts.plusDropped();
    }

    // ---- verdicts

    private void check(DetectorQuestion question) {
        Optional<AgentSession> suspect = relay.agents().agent(question.suspect());
        if (relay.jobs().job(question.job()) == null || suspect.isEmpty()) {
            return; // It has no connection, which its launcher knows.
        }
        Map<Long, DetectorQuestion> asked = questions.computeIfAbsent(question.suspect(), suspected -> new HashMap<>());
        if (asked.isEmpty()) {
            counts = counts.plusQuestion();
            tellSuspected(suspect.get(), question.job());
        }
        asked.put(question.asker(), question);
        checks.ask(question.suspect(), TimeUnit.MILLISECONDS.toNanos(question.periodMs()), System.nanoTime());
        tickLater();
    }

    private void tellSuspected(AgentSession suspect, long job) {
        long nowNanos = System.nanoTime();
        Long last = toldNanos.get(suspect.agent());
        if (last == null || nowNanos - last >= TELL_NANOS) {
            toldNanos.put(suspect.agent(), nowNanos);
            relay.events().add("NODE_SUSPECTED", suspect + " is checked: another host of job " + Job.hexId(job) + " has found it silent");
        }
    }

    private void tickLater() {
        if (!isTicking && !checks.isIdle()) {
            isTicking = true;
            relay.loop().schedule(() -> relay.control().submit(this::tick), TICK_MS, TimeUnit.MILLISECONDS);
        }
    }

    private void tick() {
        isTicking = false;
        checks.tick(System.nanoTime());
        tickLater();
    }

    private final class Effects implements VerdictPort {
        @Override
        public void ping(long agent) {
            relay.agents().agent(agent).ifPresent(session -> session.write(new DetectorCheck(agent).encode()));
        }

        @Override
        public void onVerdict(long agent, boolean isDead) {
            counts = isDead ? counts.plusDead() : counts.plusLiving();
            Map<Long, DetectorQuestion> asked = questions.remove(agent);
            for (DetectorQuestion question : asked.values()) {
                DetectorVerdict verdict = new DetectorVerdict(question.job(), agent, question.asker(), question.askerHome(), isDead);
                toAgent(question.job(), question.askerHome(), question.asker(), verdict.encode());
            }
            if (isDead) {
                asked.values().stream().map(DetectorQuestion::job).distinct().forEach(job -> relay.agents().tellDead(job, agent));
                relay.agents().agent(agent).ifPresent(this::fence);
            }
        }

        private void fence(AgentSession session) {
            String text = session + " is dead: other hosts have found it silent, and it has answered no check of its relay";
            fenced.add(session.agent());
            if (fenced.size() > FENCED_MAX) {
                fenced.remove(fenced.iterator().next());
            }
            Audit.changed(relay.id(), text);
            relay.events().add("NODE_DEAD", text);
            session.close(CloseNotice.closing(0, CloseReason.FENCED, text));
        }
    }
}
