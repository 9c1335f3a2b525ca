package org.posthouse.conformance;

import mpi.Comm;
import mpi.Errhandler;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Request;

/** What a process has once: start and end, the predefined communicators, clock, host, thread level. In a job only. */
final class Environment {
    private Environment() {}

    /** The arguments that the job is started with. */
    static final String[] ARGUMENTS = {"first", "two words", ""};

    /** A tag that no message has. */
    static final int NEVER_SENT = 4711;

    static void beforeInit() {
        Check.that(!MPI.Initialized() && !MPI.isInitialized() && !MPI.isFinalized(), "Init was not called yet");
        Check.error(MPI.ERR_OTHER, "Finalize", MPI::Finalize);
    }

    /** @param own what Init returned */
    static void afterInit(String[] own) {
        Check.equal("the program's own arguments", own, ARGUMENTS);
        Check.that(MPI.Initialized() && MPI.isInitialized() && !MPI.isFinalized(), "Init was called");
    }

    /** @param left a request that nothing has ended */
    static void afterFinalize(Request left) {
        Check.that(!MPI.Initialized() && MPI.isInitialized() && MPI.isFinalized(), "Finalize was called");
        Check.error(MPI.ERR_OTHER, "Finalize", MPI::Finalize);
        Check.that(MPI.COMM_WORLD.Rank() < MPI.COMM_WORLD.getSize(), "programs print their rank after Finalize");
        Check.equal("rank in the group", MPI.COMM_WORLD.getGroup().Rank(), MPI.COMM_WORLD.getRank());
        Check.equal("rank in the group", MPI.COMM_SELF.Group().Size(), MPI.COMM_SELF.Size());
        Check.equal("name", MPI.COMM_SELF.getName(), "MPI_COMM_SELF");
        Check.error(MPI.ERR_OTHER, "Wait", left::Wait);
        Check.error(MPI.ERR_OTHER, "Test", left::Test);
        Check.error(MPI.ERR_OTHER, "Cancel", left::Cancel);
        Check.error(MPI.ERR_OTHER, "Waitany", () -> Request.Waitany(new Request[] {left}));
        Check.error(MPI.ERR_OTHER, "Barrier", MPI.COMM_WORLD::Barrier);
        Check.error(MPI.ERR_OTHER, "Buffer_attach", () -> MPI.Buffer_attach(new byte[1]));
        Check.error(MPI.ERR_OTHER, "attachBuffer", () -> MPI.attachBuffer(new byte[1]));
        Check.error(MPI.ERR_OTHER, "Buffer_detach", MPI::Buffer_detach);
        Check.error(MPI.ERR_OTHER, "detachBuffer", MPI::detachBuffer);
        Check.error(MPI.ERR_OTHER, "Errorhandler_get", MPI::Errorhandler_get);
        Check.error(MPI.ERR_OTHER, "queryThread", MPI::queryThread);
    }

    static void initIsCalledOnce(Intracomm world) {
        Check.error(MPI.ERR_OTHER, "Init", () -> MPI.Init(new String[0]));
        Check.error(MPI.ERR_OTHER, "InitThread", () -> MPI.InitThread(new String[0], MPI.THREAD_SINGLE));
        Check.error(MPI.ERR_OTHER, "Init_thread", () -> MPI.Init_thread(new String[0], MPI.THREAD_SINGLE));
        Check.error(MPI.ERR_ARG, "InitThread", () -> MPI.InitThread(new String[0], MPI.THREAD_MULTIPLE + 1));
    }

    static void theThreadLevelIsSetAfterInit(Intracomm world) {
        int before = MPI.queryThread();
        Check.equal("arguments", MPI.initThread(MPI.THREAD_SERIALIZED, 0, new String[0]), new String[0]);
        Check.equal("thread level", MPI.queryThread(), MPI.THREAD_SERIALIZED);
        MPI.initThread(0, null);
        Check.equal("the least level", MPI.queryThread(), MPI.THREAD_SINGLE);
        MPI.initThread(99, new String[0]);
        Check.equal("the greatest level", MPI.queryThread(), MPI.THREAD_MULTIPLE);
        MPI.initThread(before, new String[0]);
        Check.equal("Rank by an object", new MPI().COMM_WORLD.Rank(), world.Rank());
    }

    static void theWorld(Intracomm world) {
        Check.equal("COMM_WORLD", Comm.Compare(world, MPI.COMM_WORLD), MPI.IDENT);
        Check.equal("NUM_OF_PROCESSORS", MPI.NUM_OF_PROCESSORS, world.Size());
        Check.error(world, MPI.ERR_COMM, "Free", world::Free);
    }

    static void theProcessAlone(Intracomm world) {
        Intracomm self = MPI.COMM_SELF;
        Check.equal("size", self.Size(), 1);
        Check.equal("rank", self.Rank(), 0);
        self.Send(new int[] {world.Rank()}, 0, 1, MPI.INT, 0, 0);
        int[] in = new int[1];
        self.Recv(in, 0, 1, MPI.INT, 0, 0);
        Check.equal("received", in[0], world.Rank());
        self.Allreduce(in, 0, in, 0, 1, MPI.INT, MPI.SUM);
        Check.equal("sum", in[0], world.Rank());
        int expected = world.Size() == 1 ? MPI.CONGRUENT : MPI.UNEQUAL;
        Check.equal("COMM_WORLD and COMM_SELF", Comm.Compare(world, self), expected);
    }

    static void theClock(Intracomm world) {
        double tick = MPI.Wtick();
        Check.that(tick > 0 && tick <= 1e-5, "a resolution of 10 microseconds or better, not " + tick);
        Check.equal("wtick", MPI.wtick(), tick);
        double step = 1;
        for (int i = 0; i < 100; i++) {
            step = Math.min(step, step());
        }
        Check.that(step < 1e-2, "time goes on in steps of less than 10 ms, the smallest of 100 is " + step);
    }

    /** Seconds by which the clock goes on, the thread's own pauses among them. */
    private static double step() {
        double start = MPI.Wtime();
        double next = MPI.wtime();
        while (next == start) {
            next = MPI.wtime();
        }
        Check.that(next > start, "time goes on from " + start + ", not back to " + next);
        return next - start;
    }

    static void randomNumbers(Intracomm world) {
        double first = MPI.Random();
        double second = MPI.Random();
        Check.that(first >= 0 && first < 1 && second >= 0 && second < 1, first + " and " + second + " are in [0, 1)");
        Check.that(first != second, "random numbers differ");
    }

    static void theHost(Intracomm world) {
        Check.that(!MPI.Get_processor_name().isBlank(), "the host has a name");
        Check.equal("host", MPI.getProcessorName(), MPI.Get_processor_name());
    }

    static void theLibrary(Intracomm world) {
        Check.that(MPI.getLibVersion().contains("Posthouse"), "the library names itself");
        MPI.pControl(1, null);
        Check.that(!MPI.INFO_ENV.isNull(), "INFO_ENV is there");
        Check.equal("command", MPI.INFO_ENV.get("command"), ConformanceJob.class.getName());
        Check.that(MPI.INFO_ENV.get("argv").contains(String.join(" ", ARGUMENTS)), "the arguments are in argv, " + MPI.INFO_ENV.get("argv"));
        Check.equal("maxprocs", MPI.INFO_ENV.get("maxprocs"), Integer.toString(world.Size()));
        Check.equal("wdir", MPI.INFO_ENV.get("wdir"), System.getProperty("user.dir"));
        Check.equal("arch", MPI.INFO_ENV.get("arch"), System.getProperty("os.arch"));
        Check.equal("thread_level", MPI.INFO_ENV.get("thread_level"), "MPI_THREAD_MULTIPLE");
    }

    static void threads(Intracomm world) throws InterruptedException {
        Check.equal("thread level", MPI.queryThread(), MPI.THREAD_MULTIPLE);
        Check.that(MPI.isMainThread() && MPI.isThreadMain(), "the thread that called Init is the main one");
        boolean[] elsewhere = {true};
        Thread other = new Thread(() -> elsewhere[0] = MPI.isMainThread());
        other.start();
        other.join();
        Check.that(!elsewhere[0], "another thread is not the main one");
    }

    static void twoThreadsWaitAtOnce(Intracomm world) throws InterruptedException {
        Ring ring = Ring.of(world);
        int[] in = new int[2];
        Thread other = new Thread(() -> world.Recv(in, 1, 1, MPI.INT, ring.left(), 1));
        other.start();
        world.Send(new int[] {7}, 0, 1, MPI.INT, ring.right(), 1);
        world.Send(new int[] {6}, 0, 1, MPI.INT, ring.right(), 0);
        world.Recv(in, 0, 1, MPI.INT, ring.left(), 0);
        other.join();
        Check.equal("received", in, new int[] {6, 7});
    }

    static void errorHandlerOfTheWorld(Intracomm world) {
        Errhandler before = MPI.Errorhandler_get();
        Check.equal("handler", before, MPI.ERRORS_ARE_FATAL);
        Check.equal("handler of the process alone", MPI.COMM_SELF.getErrhandler(), MPI.ERRORS_ARE_FATAL);
        MPI.Errorhandler_set(MPI.ERRORS_RETURN);
        Check.equal("handler", world.Errhandler_get(), MPI.ERRORS_RETURN);
        MPI.Errorhandler_set(before);
        Check.equal("handler restored", world.Errhandler_get(), MPI.ERRORS_ARE_FATAL);
        Check.error(world, MPI.ERR_TAG, "send", () -> world.send(new int[1], 1, MPI.INT, 0, -5));
    }

    static void attributesOfTheWorld(Intracomm world) {
        Check.that(world.Attr_get(MPI.TAG_UB) instanceof Integer, "TAG_UB is a number");
        Check.equal("UNIVERSE_SIZE", world.Attr_get(MPI.UNIVERSE_SIZE), world.Size());
        Check.equal("APPNUM", world.getAttr(MPI.APPNUM), 0);
        Check.equal("LASTUSEDCODE", MPI.COMM_SELF.getAttr(MPI.LASTUSEDCODE), MPI.ERR_LASTCODE);
    }
}
