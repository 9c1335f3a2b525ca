package org.posthouse.conformance;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import mpi.Checkpoint;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Request;

/** Saving a program's state, where nothing of it is kept: the calls are there, and say what is wrong. In a job only: they exist once. */
final class Checkpoints {
    private Checkpoints() {}

    static void aProgramThatSavesRunsAnywhere(Intracomm world) throws IOException {
        Checkpoint checkpoint = Checkpoint.open();
        Check.error(MPI.ERR_OTHER, "open", Checkpoint::open);
        Check.error(MPI.ERR_OTHER, "save", checkpoint::save);
        Check.error(MPI.ERR_OTHER, "point", checkpoint::point);
        double[] grid = {1, 2};
        checkpoint.register("grid", (Object) grid);
        checkpoint.register("buffer", ByteBuffer.allocateDirect(16));
        Checkpoint.Value<Integer> step = checkpoint.register("step", 3);
        Checkpoint.Save save = out -> out.writeLong(7);
        Checkpoint.Load load = in -> in.readLong();
        checkpoint.register("own", save, load);
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        save.save(new DataOutputStream(written));
        load.load(new DataInputStream(new ByteArrayInputStream(written.toByteArray())));
        Check.error(MPI.ERR_OTHER, "register", () -> checkpoint.register("step", 4));
        Check.error(MPI.ERR_OTHER, "register", () -> checkpoint.register("list", (Object) new ArrayList<String>()));
        Check.error(MPI.ERR_OTHER, "register", () -> checkpoint.register("nothing", (ByteBuffer) null));
        Check.error(MPI.ERR_OTHER, "register", () -> checkpoint.register("nothing", save, null));
        checkpoint.onSave(() -> Check.that(false, "nothing is to be saved in a job that is not logged"));
        Request receive = world.Irecv(new int[1], 0, 1, MPI.INT, world.Rank(), 1);
        Check.error(MPI.ERR_OTHER, "restored", checkpoint::restored);
        receive.Cancel();
        receive.Wait();
        Check.that(!checkpoint.restored(), "this process begins");
        Check.error(MPI.ERR_OTHER, "restored", checkpoint::restored);
        Check.error(MPI.ERR_OTHER, "register", () -> checkpoint.register("late", 1));
        Check.equal("value", step.get(), 3);
        step.set(step.get() + 1);
        Check.equal("value", step.get(), 4);
        checkpoint.save();
        checkpoint.point();
        world.Barrier();
    }
}
