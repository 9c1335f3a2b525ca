package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.posthouse.mpj.ScriptedRelay.ack;
import static org.posthouse.mpj.ScriptedRelay.view;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.mpj.ScriptedRelay.Connection;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Plain;
import org.posthouse.mpj.determinant.DeterminantLog;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.progress.FinalizedException;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobJoin;
import org.posthouse.wire.JobJoined;
import org.posthouse.wire.JointEnded;
import org.posthouse.wire.ReplayLimit;
import org.posthouse.wire.Wire;

/** A rank of a logged job in joint jobs, beside a relay that says what the test has it say. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RelayJobJoinerTest extends OneRank {
    private static final String WHY = "the other job has ended";

    RelayJobJoinerTest() throws IOException {}

    @BeforeEach
    void connect() throws Exception {
        connect(Hello.start(ScriptedRelay.JOB, 0, 1), new Settings(1 << 18), greeting(1, 0));
    }

    private static JobJoin join(long joint) {
        return new JobJoin(
                ScriptedRelay.JOB, joint, 0, new JobJoin.Part(ScriptedRelay.JOB, new int[] {0}), new JobJoin.Part(3, new int[] {0, 1}),
                List.of(new HomeRelay("lyon", "r1", "127.0.0.1:1")), new int[3]);
    }

    /** The process's end in a joint job, and its relay's. */
    private record Joint(RelayEndpoint endpoint, Connection line) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            line.close();
        }
    }

    /** @param behind what the relay says on the own connection right behind its answer */
    private Joint joined(long joint, ByteBuffer... behind) throws Exception {
        CompletableFuture<Endpoint> joining = start(() -> endpoint.joiner().orElseThrow().join(join(joint)));
        for (ByteBuffer frame = line.hearAny(); view(frame).type() != FrameType.JOB_JOIN; frame = line.hearAny()) {
            assertThat(view(frame).flags()).as("a question whether all is logged").isEqualTo(FrameView.ACK_NOW);
            line.say(ack(1, 1));
        }
        line.say(new JobJoined(ScriptedRelay.JOB, joint, JobJoined.seal(TOKEN, TOKEN, joint), "").encode());
        line.say(behind);
        Connection there = relay.accept();
        there.hear(FrameType.HELLO);
        there.say(greeting(1, 0));
        return new Joint((RelayEndpoint) joining.get(), there);
    }

    private static int kind(ByteBuffer events) {
        return events.get(Wire.EVENTS_HEADER_BYTES + Integer.BYTES);
    }

    @Test
    void isToldOfAnEndThatComesBeforeItKnowsTheJointJob() throws Exception {
        try (Joint first = joined(8); Joint second = joined(9, new JointEnded(ScriptedRelay.JOB, 9, WHY).encode())) {
            assertThat(first.endpoint.isClosed()).isFalse();
            second.line.hear(FrameType.EVENTS); // It asks whether anything is left for it.
            second.line.say(ack(1, 1));
            CompletableFuture<Void> wait = start(() -> {
                Operation receive = second.endpoint.receive(CONTEXT, 1, TAG, Plain.sink(Base.BYTE, new byte[1], 0, 1));
                second.endpoint.await(receive);
                return null;
            });
            second.line.hear(FrameType.POST);
            second.line.hear(FrameType.EVENTS);
            second.line.say(ack(2, 2));
            assertThatThrownBy(wait::join).hasCauseInstanceOf(FinalizedException.class).hasRootCauseMessage(WHY);
        }
    }

    /** Another process does again what this one has done. */
    @Test
    void refusalInAJointJobThatIsLoggedEndsTheProcess() throws Exception {
        try (Joint joint = joined(8)) {
            start(() -> {
                joint.endpoint.await(joint.endpoint.receive(CONTEXT, 1, TAG, Plain.sink(Base.BYTE, new byte[1], 0, 1)));
                return null;
            });
            joint.line.hear(FrameType.POST);
            joint.line.say(ScriptedRelay.closing(CloseReason.FENCED));
            assertThat(end.how.get()).isEqualTo("exit 70");
        }
    }

    @Test
    void limitIsInTheOwnHistoryBeforeTheProcessLeaves() throws Exception {
        try (Joint joint = joined(8)) {
            CompletableFuture<Void> leaving = start(() -> {
                joint.endpoint.limit(ReplayLimit.THREADS);
                joint.endpoint.close();
                return null;
            });
            assertThat(kind(joint.line.hear(FrameType.EVENTS))).isEqualTo(DeterminantLog.LIMIT);
            joint.line.say(ack(1, 1));
            assertThat(kind(line.hear(FrameType.EVENTS))).isEqualTo(DeterminantLog.LIMIT);
            joint.line.hearNothing();
            line.say(ack(1, 1));
            joint.line.hear(FrameType.FINALIZE);
            joint.line.say(ScriptedRelay.finalized());
            leaving.join();
        }
    }
}
