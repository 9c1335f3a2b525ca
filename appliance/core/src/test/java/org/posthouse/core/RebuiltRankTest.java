package org.posthouse.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.ByteBuffer;
import java.util.BitSet;
import org.junit.jupiter.api.Test;
import org.posthouse.wire.Agree;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Hello;
import org.posthouse.wire.Wire;

/** Rank 1 of a job of five ranks dies, and its second process, number 6 for the relay, takes its place. */
final class RebuiltRankTest extends TwoRanks {
    private static final int SECOND = 6;
    private static final int CONTEXT = 40;

    RebuiltRankTest() throws Exception {
        super(OneRelay.rebuilding());
    }

    private OneRelay.Rank secondProcess() throws Refusal {
        OneRelay.Rank second = relay.new Rank();
        relay.connect(Hello.start(OneRelay.JOB, SECOND, 2), second);
        return second;
    }

    private void receiverDies() {
        relay.core.disconnected(receiver.rank, receiver, CloseNotice.closing(OneRelay.JOB, CloseReason.NORMAL, "killed"));
    }

    private static ByteBuffer rebuild(int process) {
        BitSet self = new BitSet();
        self.set(process);
        return new Agree(OneRelay.JOB, 0, process, 1, Agree.Kind.REBUILD, 1, self, new BitSet()).encode().slice();
    }

    @Test
    void messagesForTheDeadAreDroppedAndTheirCreditComesBackWhileThoseForTheNewProcessArrive() throws Exception {
        sender.sends(relay.frames.message(FrameType.SEND, 0, 0, 1, 4, 1, 7));
        receiverDies();
        OneRelay.Rank second = secondProcess();
        assertThat(second.take()).as("it knows who has died").containsExactly("failed 1 incarnation 1");
        sender.sends(relay.frames.message(FrameType.SEND, 0, 0, 1, 4, 2, 7));
        sender.sends(relay.frames.message(FrameType.SEND, CONTEXT, 0, SECOND, 4, 1, 7));
        second.sends(relay.frames.post(CONTEXT, Wire.ANY, SECOND, Wire.ANY, 5, 0));
        assertThat(second.take()).containsExactly("deliver #1 from 0 to request 5");
        assertThat(second.rank.mailbox().unexpected()).isZero();
        assertThat(receiver.rank.mailbox().unexpected()).isZero();
        second.sends(relay.frames.message(FrameType.SEND, CONTEXT, SECOND, 0, 4, 1, 7));
        sender.sends(relay.frames.post(CONTEXT, SECOND, 0, 4, 6, 0));
        assertThat(sender.take()).contains("deliver #1 from 6 to request 6");
    }

    @Test
    void deadProcessIsRefusedThoughItsRankHasAnotherOne() throws Exception {
        receiverDies();
        secondProcess();
        assertThat(catchThrowableOfType(Refusal.class, () -> relay.connect(Hello.firstStart(OneRelay.JOB, 1), relay.new Rank())).reason())
                .isEqualTo(CloseReason.FENCED);
    }

    @Test
    void rebuildIsDecidedWhenAProcessOfEachRankTakesPart() throws Exception {
        OneRelay.Rank third = relay.connect(2);
        sender.sends(rebuild(0));
        receiver.sends(rebuild(1));
        receiverDies();
        third.sends(rebuild(2));
        relay.core.failure(relay.there, new TestFrame(rebuild(3), relay.ledger));
        relay.core.failure(relay.far, new TestFrame(rebuild(4), relay.ledger));
        assertThat(sender.take()).as("the part of the dead does not count").containsExactly("failed 1 incarnation 1");
        OneRelay.Rank second = secondProcess();
        second.sends(rebuild(SECOND));
        assertThat(sender.take()).containsExactly("rebuilt {0, 2, 3, 4, 6} communicator 1");
        assertThat(second.take()).containsExactly("failed 1 incarnation 1", "rebuilt {0, 2, 3, 4, 6} communicator 1");
        assertThat(relay.sites).endsWith("rebuilt {0, 2, 3, 4, 6} communicator 1 to there", "rebuilt {0, 2, 3, 4, 6} communicator 1 to far");
    }

    @Test
    void nobodyWaitsForARankThatHasFinalized() throws Exception {
        OneRelay.Rank third = relay.connect(2);
        sender.sends(rebuild(0));
        third.sends(relay.frames.finalizing(0));
        assertThat(sender.take()).containsExactly("rebuilt {0} in vain");
        receiver.sends(rebuild(1));
        assertThat(receiver.take()).containsExactly("rebuilt {1} in vain");
    }

    @Test
    void rebuildIsRefusedInAJobThatDoesNotReplaceItsDead() throws Exception {
        OneRelay other = OneRelay.tellingFailures();
        other.connect(0).isRefused(rebuild(0), CloseReason.NOT_EXPECTED);
        other.end();
    }
}
