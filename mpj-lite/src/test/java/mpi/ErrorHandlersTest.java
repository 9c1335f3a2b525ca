package mpi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an error does is inherited by every communicator from the one that it is made of (MPI-1.1, 7.2). */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ErrorHandlersTest {
    @Test
    void everyNewCommunicatorInheritsThem() {
        Ranks.run(2, (world, rank) -> {
            Intracomm plain = world.dup();
            String[] name = {rank == 0 ? world.self.ports().open(0, 0).name() : ""};
            world.Bcast(name, 0, 1, MPI.OBJECT, 0);
            world.Errhandler_set(MPI.ERRORS_RETURN);
            Map<String, Comm> made = new LinkedHashMap<>();
            made.put("dup", world.dup());
            made.put("split", world.split(rank, 0));
            made.put("create", world.create(world.Group()));
            made.put("createGroup", world.createGroup(world.Group(), 0));
            CartComm grid = world.createCart(new int[] {2}, new boolean[1], false);
            made.put("createCart", grid);
            made.put("sub", grid.sub(new boolean[1]));
            made.put("createGraph", world.createGraph(new int[] {1, 2}, new int[] {1, 0}, false));
            made.put("createDistGraphAdjacent", world.createDistGraphAdjacent(new int[0], new int[0], MPI.INFO_NULL, false));
            Intracomm self = (Intracomm) made.get("split");
            Intercomm pair = plain.createIntercomm(self, 0, 1 - rank, 0);
            made.put("createIntercomm", pair);
            made.put("merge", pair.merge(rank == 0));
            made.put("accept or connect", rank == 0 ? self.accept(name[0], 0) : self.connect(name[0], 0));
            made.forEach((call, comm) -> assertThat(comm.Errhandler_get()).as(call).isSameAs(MPI.ERRORS_RETURN));
            assertThat(plain.Errhandler_get()).isSameAs(MPI.ERRORS_ARE_FATAL);
        });
    }
}
