package org.posthouse.mpj;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.posthouse.mpj.blocked.CollectivePosition;
import org.posthouse.mpj.blocked.StallDetector;
import org.posthouse.mpj.channel.Credentials;
import org.posthouse.mpj.channel.Platform;
import org.posthouse.mpj.operation.ReceiveException;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.wire.ExitStatuses;
import org.posthouse.wire.Hello;
import org.posthouse.wire.Token;

/**
 * One process of a rank: the real library on a {@link Stage}, with a program on it, until that has ended or the process is
 * killed. A thread of a dead process ends where it next asks its machine for anything.
 */
public final class SimProcess implements Platform {
    /** Who has started it. */
    public interface World {
        /** Connects to a relay. @throws IOException if it is not there */
        void accept(int relay, Cable cable) throws IOException;

        /** A line has left the process, the {@code number}-th of its rank. */
        void printed(SimProcess process, int number, String line);

        /** The process has ended by itself. @param why its last words */
        void exited(SimProcess process, int status, String why);
    }

    /** What it runs. */
    public interface Program {
        void run(SimProcess process) throws IOException, ReceiveException;
    }

    private static final class Killed extends Error {
        private static final long serialVersionUID = 1L;

        Killed() {
            super("the process is dead", null, false, false);
        }
    }

    private static final class Exited extends Error {
        private static final long serialVersionUID = 1L;
        private final int status;

        Exited(int status) {
            super("the process ends with status " + status, null, false, false);
            this.status = status;
        }
    }

    /** Between two looks where it is in its collectives, at most: {@link StallDetector} takes a second, which is longer than most programs run. */
    private static final int LOOK_TICKS_MAX = 60;

    /** Looks of a process, or a program that is stuck would go on for ever. */
    private static final int LOOKS_MAX = 150;

    private final Stage stage;
    private final World world;
    private final Hello hello;
    private final Token token;
    private final Set<Thread> collectives = new HashSet<>();
    private final List<SimPresence> presences = new ArrayList<>();
    private final Diary diary = new Diary();
    private Cable cable;
    private RelayEndpoint endpoint;
    private boolean alive = true;
    private String lastWords = "";

    /** @param token the rank's own */
    public SimProcess(Stage stage, World world, Hello hello, Token token) {
        this.token = token;
        this.stage = stage;
        this.world = world;
        this.hello = hello;
    }

    /** @param relay its number, which is its port too */
    public void start(int relay, Settings settings, Program program) {
        stage.start(() -> {
            try {
                endpoint = RelayEndpoint.connect(this, "127.0.0.1:" + relay, Credentials.of(token), hello, settings, new SimEnding(), true);
                endpoint.presences().watchedByOthers();
                program.run(this);
                endpoint.close();
                exit(0, "");
            } catch (IOException e) {
                exit(ExitStatuses.CONNECTION, e.getMessage());
            } catch (Exited e) {
                exit(e.status, lastWords);
            } catch (Killed e) {
                assert !alive;
            } catch (ReceiveException e) {
                throw new IllegalStateException(this + ": " + e.getMessage(), e);
            } catch (RuntimeException e) {
                if (alive) {
                    throw new IllegalStateException(this + ": " + e.getMessage(), e);
                }
            }
        });
    }

    private void exit(int status, String why) {
        if (alive) {
            alive = false;
            if (status != 0 && cable != null) {
                cable.closeByRank(false);
            }
            world.exited(this, status, why);
        }
    }

    /** kill -9. */
    public void kill() {
        alive = false;
        if (cable != null) {
            cable.closeByRank(false);
        }
    }

    public int rank() {
        return hello.rank();
    }

    /** Its number when it was started; another one if it leads later. */
    public int incarnation() {
        return hello.incarnation();
    }

    /** Whether it was started as a follower. */
    public boolean isFollower() {
        return hello.kind() == Hello.FOLLOWER;
    }

    public boolean isAlive() {
        return alive;
    }

    /** Whether a relay has ever welcomed it. */
    public boolean isConnected() {
        return endpoint != null;
    }

    /** Its connection, or null. */
    public Cable cable() {
        return cable;
    }

    /** What it has seen and done. */
    public Diary diary() {
        return diary;
    }

    // ---- what the program calls

    Endpoint endpoint() {
        return endpoint;
    }

    /** What a seed decides about the program itself is not decided here, but by {@link SimScript}. */
    Stage stage() {
        return stage;
    }

    /** As {@link PrintGate} does. */
    void print(String line) {
        endpoint.awaitTold();
        requireAlive();
        diary.printed++;
        world.printed(this, diary.printed, line);
    }

    /** Runs a collective in the background. */
    void inBackground(Runnable work) {
        beside(() -> {
            collectives.add(Thread.currentThread());
            work.run();
        });
    }

    /** Runs it in a thread of the process. */
    private void beside(Runnable work) {
        stage.start(() -> {
            try {
                work.run();
            } catch (Killed e) {
                assert !alive;
            } catch (Exited e) {
                exit(e.status, lastWords);
            }
        });
    }

    /** As {@link Endpoint#presence}. The first one begins the watch. */
    SimPresence presence(int context, int[] worldRanks) {
        if (presences.isEmpty()) {
            beside(this::watch);
        }
        SimPresence presence = new SimPresence(new CollectivePosition(endpoint.presences(), context, worldRanks, 0));
        presences.add(presence);
        return presence;
    }

    private void watch() {
        for (int looks = LOOKS_MAX; looks > 0 && alive && !endpoint.isClosed(); looks--) {
            stage.sleep(1 + stage.random().nextInt(LOOK_TICKS_MAX));
            if (alive && !endpoint.isClosed()) {
                endpoint.presences().look();
                List.copyOf(presences).forEach(SimPresence::look);
            }
        }
    }

    // ---- its machine

    void requireAlive() {
        if (!alive) {
            throw new Killed();
        }
    }

    /** Now and then somebody else has the processor for a while. */
    void mayPause() {
        if (stage.random().nextInt(8) == 0) {
            stage.sleep(1 + stage.random().nextInt(20));
            requireAlive();
        }
    }

    void park() {
        LockSupport.park();
        requireAlive();
    }

    Cable dial(int relay) throws IOException {
        Cable next = new Cable(stage);
        world.accept(relay, next);
        cable = next;
        return next;
    }

    @Override
    public SocketChannel socket() {
        requireAlive();
        return new SimSocket(this);
    }

    @Override
    public long nanoTime() {
        requireAlive();
        return stage.nanoTime();
    }

    @Override
    public void sleep(long ms) {
        stage.sleep(ms * Stage.TICKS_PER_MS);
        requireAlive();
    }

    @Override
    public boolean isCollective() {
        return collectives.contains(Thread.currentThread());
    }

    @Override
    public String toString() {
        return "rank " + hello.rank() + (isFollower() ? ", follower " : ", incarnation ") + hello.incarnation();
    }

    private final class SimEnding extends ProcessExit {
        private SimEnding() {
            super(hello.rank());
        }

        @Override
        void say(String line) {
            lastWords = line;
        }

        @Override
        void exitLater(int status, long ms) {
            // It would in time that is none here.
        }

        @Override
        void exit(int status) {
            throw new Exited(status);
        }
    }
}
