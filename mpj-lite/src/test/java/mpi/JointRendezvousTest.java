package mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.mpj.Endpoint;
import org.posthouse.mpj.JobJoiner;
import org.posthouse.mpj.LocalWorld;
import org.posthouse.wire.Durability;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobJoin;
import org.posthouse.wire.NameAnswer;
import org.posthouse.wire.NameAsk;
import org.posthouse.wire.NamedRecord;
import org.posthouse.wire.ReplayLimit;

/** Two jobs of two ranks each that meet, in local worlds: what becomes of them when names are away or lost meanwhile. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class JointRendezvousTest {
    private static final int SIZE = 2;
    private static final long SERVER = 0xa;
    private static final long VISITOR = 0xb;
    private static final String JOINED = "joined";
    private static final HomeRelay HOME = new HomeRelay("lyon", "r1", "127.0.0.1:1");

    /** The names of the grid, which guard themselves. */
    private final Map<String, NamedRecord> names = new HashMap<>();

    private long versions;
    private Fault fault = (job, ask) -> Optional.empty();

    private final Map<Long, LocalWorld> joints = new ConcurrentHashMap<>();
    private final CompletableFuture<String> port = new CompletableFuture<>();

    /** What each rank was told, by its job and rank. */
    private final Map<String, String> told = new ConcurrentHashMap<>();

    /** What goes wrong with the names. */
    private interface Fault {
        /** @return what is answered; empty if nothing goes wrong */
        Optional<NameAnswer> answer(long job, NameAsk ask);
    }

    private NameAnswer answer(long job, int rank, NameAsk ask) {
        synchronized (names) {
            return fault.answer(job, ask).orElseGet(() -> sound(job, rank, ask));
        }
    }

    private NameAnswer sound(long job, int rank, NameAsk ask) {
        NamedRecord found = names.get(ask.name());
        switch (ask.operation()) {
            case BIND -> {
                Map<String, String> fields = new TreeMap<>(ask.fields());
                fields.put("job", HexFormat.of().toHexDigits(job));
                fields.put("rank", Integer.toString(rank));
                if (found != null && !found.fields().equals(fields)) {
                    return new NameAnswer(NameAnswer.Status.ALREADY_BOUND, ask.name() + " is bound", 0, List.of(found), false);
                }
                names.putIfAbsent(ask.name(), new NamedRecord(ask.name(), ++versions, 0, true, new TreeMap<>(fields)));
            }
            case UNBIND -> {
                if (found != null && found.version() != ask.version()) {
                    return new NameAnswer(NameAnswer.Status.CONFLICT, ask.name() + " has changed", 0, List.of(found), false);
                }
                names.remove(ask.name());
            }
            default -> {}
        }
        return NameAnswer.done(found == null ? List.of() : List.of(found), false);
    }

    private static NameAnswer away() {
        return new NameAnswer(NameAnswer.Status.DENIED, "the names are away", 0, List.of(), false);
    }

    private JobJoiner joiner(long job) {
        return new JobJoiner() {
            @Override
            public long job() {
                return job;
            }

            @Override
            public Durability durability() {
                return Durability.PROCESS;
            }

            @Override
            public HomeRelay home(int rank) {
                return HOME;
            }

            @Override
            public Endpoint join(JobJoin join) {
                return joints.computeIfAbsent(join.joint(), id -> new LocalWorld(join.size())).endpoint(join.rank());
            }
        };
    }

    private CompletableFuture<Void> job(long job, Ranks.Body body) {
        LocalWorld world = new LocalWorld(SIZE).names((rank, ask) -> answer(job, rank, ask)).joiner(rank -> joiner(job));
        return CompletableFuture.runAsync(() -> Ranks.run(world, SIZE, (comm, rank) -> {
            try {
                body.run(comm, rank);
                told.put(Long.toHexString(job) + rank, JOINED);
            } catch (MPIException e) {
                told.put(Long.toHexString(job) + rank, e.getMessage());
            }
        }), work -> new Thread(work).start());
    }

    private CompletableFuture<Void> server() {
        return job(SERVER, (world, rank) -> {
            if (rank == 0) {
                Ports.Port own = world.self.ports().open(SERVER, 0);
                JointRendezvous.publish("openPort", world.endpoint, own);
                port.complete(own.name());
            }
            exchange(world.accept(rank == 0 ? port.join() : null, 0));
        });
    }

    private CompletableFuture<Void> visitor() {
        return job(VISITOR, (world, rank) -> exchange(world.connect(rank == 0 ? port.join() : null, 0)));
    }

    private static void exchange(Intercomm other) {
        int peer = other.Rank();
        other.Send(new int[] {peer}, 0, 1, MPI.INT, peer, 1);
        int[] got = {-1};
        other.Recv(got, 0, 1, MPI.INT, peer, 1);
        assertThat(got[0]).isEqualTo(peer);
    }

    /** The end of a job: its relay takes back what it has bound. */
    private void end(long job) {
        synchronized (names) {
            names.values().removeIf(record -> record.fields().get("job").equals(HexFormat.of().toHexDigits(job)));
        }
    }

    private static String side(String name) {
        return name.startsWith("mpi/_joint/") && !name.endsWith("coming") ? name.substring(name.lastIndexOf('/') + 1) : "";
    }

    private static boolean isOf(NameAsk ask, NameAsk.Operation operation, long side) {
        return ask.operation() == operation && side(ask.name()).equals(HexFormat.of().toHexDigits(side));
    }

    @Test
    void groupsOfTwoJobsMeet() {
        CompletableFuture.allOf(server(), visitor()).join();
        assertThat(told.values()).containsOnly(JOINED).hasSize(2 * SIZE);
    }

    /** It has said by then that it has joined, and cannot take that back. */
    @Test
    void bothFailWhenTheNamesAreAwayForTheGroupThatAccepts() {
        boolean[] isAway = {false};
        CompletableFuture<Void> visitorLooks = new CompletableFuture<>();
        fault = (job, ask) -> {
            boolean fails = isAway[0] && job == SERVER;
            isAway[0] |= isOf(ask, NameAsk.Operation.BIND, SERVER) && ask.fields().containsKey(JobJoin.JOINED_FIELD);
            if (job == VISITOR && hasJoined(VISITOR) && isOf(ask, NameAsk.Operation.LOOKUP, SERVER)) {
                visitorLooks.complete(null);
            }
            return fails ? Optional.of(away()) : Optional.empty();
        };
        CompletableFuture<Void> server = server();
        CompletableFuture<Void> visitor = visitor();
        server.join();
        visitorLooks.join();
        end(SERVER);
        visitor.join();
        assertThat(told.values()).doesNotContain(JOINED).hasSize(2 * SIZE);
        assertThat(told.get("a0")).contains("the names are away");
        assertThat(told.get("b1")).contains("the other job has ended");
    }

    /** The group that connects does not see what the other one has said before it is lost. */
    @Test
    void bothComeToOneOutcomeWhenTheNamesAreLostAfterOneOfThemHasReadThem() {
        boolean[] isRead = {false};
        fault = (job, ask) -> {
            NamedRecord found = names.get(ask.name());
            if (job == SERVER && isOf(ask, NameAsk.Operation.LOOKUP, VISITOR) && found != null && found.fields().containsKey(JobJoin.JOINED_FIELD)) {
                isRead[0] = true;
                names.clear();
                return Optional.of(NameAnswer.done(List.of(found), false));
            }
            boolean isLate = !isRead[0] && job == VISITOR && isOf(ask, NameAsk.Operation.LOOKUP, SERVER) && hasJoined(VISITOR);
            return isLate ? Optional.of(NameAnswer.done(List.of(new NamedRecord(ask.name(), 1, 0, true, new TreeMap<>())), false)) : Optional.empty();
        };
        CompletableFuture.allOf(server(), visitor()).join();
        assertThat(isRead[0]).isTrue();
        long joined = told.values().stream().filter(JOINED::equals).count();
        assertThat(joined).as(told.toString()).isIn(0L, 2L * SIZE);
    }

    private boolean hasJoined(long job) {
        return names.values().stream()
                .anyMatch(record -> side(record.name()).equals(HexFormat.of().toHexDigits(job)) && record.fields().containsKey(JobJoin.JOINED_FIELD));
    }

    /** All else is what its first process was told: the root, which is another process, sends it again. */
    @Test
    void restartedProcessThatCannotJoinAgainIsToldSo() {
        JobJoin join = new JobJoin(
                VISITOR, 7, 0, new JobJoin.Part(SERVER, new int[] {0}), new JobJoin.Part(VISITOR, new int[] {0, 1}), List.of(HOME), new int[3]);
        LocalWorld world = new LocalWorld(SIZE).joiner(rank -> refused());
        Ranks.run(world, SIZE, (comm, rank) -> {
            if (rank == 0) {
                tellAgain(comm, join.encode());
            } else {
                assertThatThrownBy(() -> comm.connect(null, 0))
                        .isInstanceOfSatisfying(MPIException.class, e -> assertThat(e.getErrorClass()).isEqualTo(MPI.ERR_OTHER))
                        .hasMessageContaining("cannot join again: rank 1: the joint job was ended");
            }
        });
        assertThat(world.limits(1)).containsExactly(ReplayLimit.JOINT_ENDED);
    }

    private JobJoiner refused() {
        JobJoiner sound = joiner(VISITOR);
        return new JobJoiner() {
            @Override
            public long job() {
                return sound.job();
            }

            @Override
            public Durability durability() {
                return sound.durability();
            }

            @Override
            public HomeRelay home(int rank) {
                return sound.home(rank);
            }

            @Override
            public Endpoint join(JobJoin join) throws IOException {
                throw new IOException("the joint job was ended");
            }
        };
    }

    /** The root's part of connect, as all that it says: the other job was found, the joint job, and that the jobs are joined. */
    private static void tellAgain(Intracomm world, ByteBuffer join) {
        byte[] bytes = new byte[join.remaining()];
        join.get(bytes);
        world.Bcast(new int[] {-2, 0}, 0, 2, MPI.INT, 0);
        world.Bcast(new int[] {bytes.length}, 0, 1, MPI.INT, 0);
        world.Bcast(bytes, 0, bytes.length, MPI.BYTE, 0);
        Object[] refusals = new Object[SIZE];
        world.Gather(new Object[] {""}, 0, 1, MPI.OBJECT, refusals, 0, 1, MPI.OBJECT, 0);
        world.Bcast(new Object[] {""}, 0, 1, MPI.OBJECT, 0);
    }
}
