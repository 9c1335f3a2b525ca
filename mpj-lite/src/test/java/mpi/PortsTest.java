package mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.mpj.LocalWorld;

/** Groups that meet at a port in a local world, where there is no Init: the name is made by hand. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class PortsTest {
    private static final int SIZE = 6;

    /** Ranks 0 and 1 accept two pairs that come at once. */
    @Test
    void groupsAreLetInOneByOne() {
        for (int seed = 1; seed <= 10; seed++) {
            Ranks.run(new LocalWorld(SIZE).seed(seed), SIZE, (world, rank) -> {
                Intracomm pair = world.Split(rank / 2, 0);
                String[] name = {rank == 0 ? world.self.ports().open(0, 0).name() : null};
                world.Bcast(name, 0, 1, MPI.OBJECT, 0);
                if (rank / 2 > 0) {
                    Intercomm server = pair.connect(rank % 2 == 0 ? name[0] : null, 0);
                    server.Send(new int[] {rank}, 0, 1, MPI.INT, rank % 2, 1);
                    return;
                }
                Set<Integer> guests = new HashSet<>();
                for (int guest = 0; guest < 2; guest++) {
                    Intercomm met = pair.accept(name[0], 0);
                    assertThat(met.getRemoteSize()).isEqualTo(2);
                    int[] from = new int[1];
                    met.Recv(from, 0, 1, MPI.INT, rank, 1);
                    guests.add(from[0]);
                }
                assertThat(guests).containsExactlyInAnyOrder(2 + rank, 4 + rank);
            });
        }
    }

    @Test
    void allHearThatTheRootHasNoSuchPort() {
        Ranks.run(3, (world, rank) -> {
            String stranger = "posthouse-port-0000000000000000-" + (rank + 1) + "-0";
            assertThatThrownBy(() -> world.accept(stranger, 0))
                    .isInstanceOfSatisfying(MPIException.class, e -> assertThat(e.getErrorClass()).isEqualTo(MPI.ERR_PORT))
                    .hasMessageContaining(rank == 0 ? "is no open port of this process" : "the root, rank 0, gave no port");
            assertThatThrownBy(() -> world.connect("posthouse-port-0000000000000000-3-0", 1)).hasMessageContaining("connect");
        });
    }

    @Test
    void aClosedPortLetsNobodyIn() {
        Ranks.run(1, (world, rank) -> {
            Ports ports = world.self.ports();
            String name = ports.open(7, 0).name();
            assertThat(ports.open(7, 0).name()).isNotEqualTo(name);
            assertThat(ports.own("accept", name, 7, 0).number()).isZero();
            assertThatThrownBy(() -> ports.own("accept", name, 8, 0)).hasMessageContaining(name);
            ports.close(name, 7, 0);
            assertThatThrownBy(() -> ports.own("accept", name, 7, 0)).hasMessageContaining(name);
        });
    }
}
