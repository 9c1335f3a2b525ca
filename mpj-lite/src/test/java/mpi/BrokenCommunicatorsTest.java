package mpi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.mpj.Endpoint;
import org.posthouse.mpj.Endpoints;
import org.posthouse.mpj.ScriptedRelay;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.RankFailed;
import org.posthouse.wire.Revocation;

/** Communicators of rank 0 of three that are revoked, or of which rank 2 has died. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class BrokenCommunicatorsTest {
    private static final int NUMBER = 5;
    private static final int TAG = 3;

    private final ScriptedRelay relay = new ScriptedRelay();
    private ScriptedRelay.Connection line;
    private Intracomm world;
    private Intracomm comm;

    BrokenCommunicatorsTest() throws IOException {}

    @BeforeEach
    void connect() throws Exception {
        CompletableFuture<Endpoint> connecting = CompletableFuture.supplyAsync(() -> {
            try {
                return Endpoints.hosted(relay.address(), ScriptedRelay.JOB, 0, ScriptedRelay.TOKEN);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        line = relay.accept();
        line.hear(FrameType.HELLO);
        line.say(ScriptedRelay.welcome(1, false, 0, 0));
        world = Ranks.world(connecting.get(), 3);
        assertThat(world.self.contexts().tryTake(NUMBER)).isTrue();
        comm = new Intracomm(world.self, world.group, NUMBER, "comm");
    }

    @AfterEach
    void finish() throws Exception {
        CompletableFuture<Void> closing = CompletableFuture.runAsync(world.endpoint::close);
        while (ScriptedRelay.view(line.hearAny()).type() != FrameType.FINALIZE) {
            // What the test has not heard.
        }
        line.say(ScriptedRelay.finalized());
        closing.get();
        line.close();
        relay.close();
    }

    private void rank2Dies() throws IOException {
        line.say(new RankFailed(ScriptedRelay.JOB, 2, 1).encode());
    }

    private Request receive(int source) throws Exception {
        Request receive = comm.Irecv(new byte[1], 0, 1, MPI.BYTE, source, TAG);
        line.hear(FrameType.POST);
        return receive;
    }

    private void isToldOfTheDeath() {
        while (comm.getFailed().Size() == 0) {
            Thread.onSpinWait();
        }
    }

    @Test
    void freedReceiveThatMayComeFromTheDeadHoldsNobodyUp() throws Exception {
        receive(MPI.ANY_SOURCE).Free();
        rank2Dies();
        isToldOfTheDeath();
        world.self.freedRequests().look();
        assertThat(world.self.freedRequests().size()).as("it is under way").isEqualTo(1);
    }

    @Test
    void numberOfACommunicatorWithADeadMemberIsNotUsedAgain() throws Exception {
        rank2Dies();
        isToldOfTheDeath();
        comm.Free();
        assertThat(world.self.contexts().isFree(NUMBER)).isFalse();
    }

    @Test
    void numberOfACommunicatorThatAnotherHasRevokedIsNotUsedAgain() throws Exception {
        BitSet members = new BitSet();
        members.set(0, 3);
        line.say(new Revocation(ScriptedRelay.JOB, 2 * NUMBER, members).encode());
        while (!comm.isRevoked()) {
            Thread.onSpinWait();
        }
        comm.Free();
        assertThat(world.self.contexts().isFree(NUMBER)).isFalse();
    }

    @Test
    void probeOfTheDeadFindsWhatTheRelayHas() throws Exception {
        CompletableFuture<Status> probing = CompletableFuture.supplyAsync(() -> comm.Probe(2, TAG));
        ByteBuffer probe = line.hear(FrameType.PROBE);
        rank2Dies();
        isToldOfTheDeath();
        assertThat(probing).as("only the relay knows").isNotDone();
        line.say(ScriptedRelay.found(probe, 2, 1));
        assertThat(probing.get(20, TimeUnit.SECONDS).Get_count(MPI.BYTE)).isEqualTo(1);
        CompletableFuture<Status> again = CompletableFuture.supplyAsync(() -> comm.Probe(2, TAG));
        line.say(ScriptedRelay.nothingFound(line.hear(FrameType.PROBE)));
        assertThat(again.handle((none, e) -> e.getCause()).get(20, TimeUnit.SECONDS))
                .isInstanceOfSatisfying(MPIException.class, e -> assertThat(e.getErrorClass()).isEqualTo(MPI.ERR_PROC_FAILED));
    }

    @Test
    void numberOfACommunicatorWithoutFailuresIsUsedAgain() throws Exception {
        comm.Free();
        assertThat(world.self.contexts().isFree(NUMBER)).isTrue();
    }
}
