package org.posthouse.mpj;

import java.io.IOException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.posthouse.mpj.channel.Credentials;
import org.posthouse.mpj.channel.FrameChannel;
import org.posthouse.mpj.channel.Platform;
import org.posthouse.mpj.checkpoint.ProgramInput;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.wire.Hello;
import org.posthouse.wire.Token;

/** Finds this process's endpoint from the environment that the launcher set. */
public final class Endpoints {
    /** Where the rank's home relay listens, as host:port. */
    public static final String RELAY = "POSTHOUSE_RELAY";

    /** The job's id, 16 hexadecimal digits. */
    public static final String JOB = "POSTHOUSE_JOB";

    /** The rank's number in the job. */
    public static final String RANK = "POSTHOUSE_RANK";

    /**
     * The rank's own token, 32 hexadecimal digits. It is not an argument, because every user of the host can read
     * arguments.
     */
    public static final String TOKEN = "POSTHOUSE_TOKEN";

    /** Set if nothing stands between rank and relay, as in {@link Credentials#direct}. */
    public static final String DIRECT = "POSTHOUSE_RELAY_DIRECT";

    /** Number of this start of the rank, from 1; without it, the first. */
    public static final String INCARNATION = "POSTHOUSE_INCARNATION";

    /** Set for a process that follows the leader of its rank (docs/replicas.md); without it, the process is its rank. */
    public static final String FOLLOWER = "POSTHOUSE_FOLLOWER";

    /** The number of ranks of a job whose ranks get new processes when they die ({@code --on-failure rebuild}); without it, they do not. */
    public static final String REBUILD_RANKS = "POSTHOUSE_REBUILD_RANKS";

    /** Set in a logged job whose program is told of ranks that are not started again ({@code --on-failure restart,blank|shrink}). */
    public static final String TELLS_DEATHS = "POSTHOUSE_TELLS_DEATHS";

    /**
     * Milliseconds between two checkpoints of a program that has points for them; 0, or without it: when the relay
     * asks.
     */
    public static final String CHECKPOINT_MS = "POSTHOUSE_CHECKPOINT_MS";

    /**
     * Set for a rank that its launcher restarts. The rank waits for a relay that is down; if that fails, the process
     * ends with status 70.
     */
    public static final String RESTARTABLE = "POSTHOUSE_RESTARTABLE";

    /** Set for a rank that gets its launcher's standard input ({@link ProgramInput}). */
    public static final String INPUT = "POSTHOUSE_INPUT";

    /**
     * The secret of the marks that the library sets in the output, for the launcher: 16 hexadecimal digits; without it
     * there are none.
     */
    public static final String PRINT_MARKS = "POSTHOUSE_PRINT_MARKS";

    private static RelayEndpoint connected;

    /** Written before the program begins. */
    private static List<String> program = List.of();

    private Endpoints() {}

    /**
     * Connects this rank to its home relay.
     *
     * <p>If the relay cannot be reached and the launcher restarts such ranks, it waits for the relay's return. A relay
     * that ends the connection before WELCOME, without a reason or because HELLO came late, is redialled in any case.
     * If all attempts fail, the process ends.
     *
     * @throws IllegalStateException if the process was not started by {@code posthouse run}, or a connection was made
     * before
     */
    public static synchronized Endpoint fromEnvironment() {
        if (connected != null) {
            throw new IllegalStateException("this rank is connected already: MPI.Init was called before");
        }
        Map<String, String> environment = System.getenv();
        int rank = Integer.parseInt(variable(environment, RANK));
        Hello hello = hello(environment, rank);
        Credentials credentials = new Credentials(Token.parse(variable(environment, TOKEN)), environment.containsKey(DIRECT));
        String relay = variable(environment, RELAY);
        ProcessExit processExit = new ProcessExit(rank);
        boolean restartable = environment.containsKey(RESTARTABLE);
        FrameChannel.rehearse();
        try {
            connected = RelayEndpoint.connect(Platform.REAL, relay, credentials, hello, Settings.of(environment), processExit, restartable);
        } catch (IOException e) {
            processExit.unreached(e);
            throw new IllegalStateException("the process was to end", e);
        } catch (IllegalArgumentException e) {
            throw new IllegalStateException("rank " + rank + ": " + e.getMessage(), e);
        }
        connected.rebuilds(ranks(environment));
        connected.tellsDeaths(environment.containsKey(TELLS_DEATHS));
        PrintGate.hold(connected);
        return connected;
    }

    private static Hello hello(Map<String, String> environment, int rank) {
        long job = HexFormat.fromHexDigitsToLong(variable(environment, JOB));
        int incarnation = Integer.parseInt(environment.getOrDefault(INCARNATION, "1"));
        int process = rank + ranks(environment) * (incarnation - 1);
        return environment.containsKey(FOLLOWER) ? Hello.follower(job, rank, incarnation) : Hello.start(job, process, incarnation);
    }

    /** The ranks of a job that replaces its dead; 0 if it does not. */
    private static int ranks(Map<String, String> environment) {
        return Integer.parseInt(environment.getOrDefault(REBUILD_RANKS, "0"));
    }

    /**
     * Connects one of several ranks that this process hosts to its home relay. Benches use it to save the memory of a
     * process per rank. Package {@code mpi} does not know of it.
     *
     * @param token the rank's own
     * @throws IOException if the relay cannot be reached, in one line that names it
     */
    public static Endpoint hosted(String relay, long job, int rank, Token token) throws IOException {
        return RelayEndpoint.connect(relay, token, Hello.firstStart(job, rank), Settings.of(System.getenv()), new ProcessExit(rank));
    }

    /** Milliseconds between two checkpoints; 0 if only the relay asks for them. */
    public static long checkpointMs() {
        return checkpointMs(System.getenv());
    }

    /**
     * The same for an environment.
     *
     * @throws IllegalArgumentException if it says something else than milliseconds
     */
    public static long checkpointMs(Map<String, String> environment) {
        String value = environment.getOrDefault(CHECKPOINT_MS, "0");
        try {
            return Math.max(0, Long.parseLong(value));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(CHECKPOINT_MS + " is \"" + value + "\", expected milliseconds", e);
        }
    }

    /** The program's own arguments among those that it passes to Init; null counts as none. Always a new array. */
    public static String[] ownArguments(String[] given) {
        Map<String, String> environment = System.getenv();
        int rank = Integer.parseInt(variable(environment, RANK));
        return given == null ? new String[0] : ArgumentWords.of(environment).strip(given, rank);
    }

    /** Records the program that {@link RankMain} starts: its main class, then its arguments. */
    static synchronized void starting(List<String> mainClassAndArguments) {
        program = mainClassAndArguments;
    }

    /** The program's main class, then its own arguments; empty if {@link RankMain} has not started it. */
    public static synchronized List<String> program() {
        return program;
    }

    /** The endpoint that this process connected, or null. */
    static synchronized Endpoint connected() {
        return connected;
    }

    private static String variable(Map<String, String> environment, String name) {
        String value = environment.get(name);
        if (value == null) {
            throw new IllegalStateException(
                    name + " is not set: start MPI programs with \"posthouse run -n N -cp JAR Class\"");
        }
        return value;
    }
}
