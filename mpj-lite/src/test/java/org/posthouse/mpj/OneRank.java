package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.posthouse.mpj.ScriptedRelay.Connection;
import org.posthouse.mpj.channel.Credentials;
import org.posthouse.mpj.channel.Platform;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Token;
import org.posthouse.wire.Wire;

/** Rank 0 beside a relay that says what its test has it say. */
abstract class OneRank {
    static final int CONTEXT = 4;
    static final int TAG = 9;
    static final Token TOKEN = ScriptedRelay.TOKEN;

    /** Longer than what follows its frame at once. */
    static final byte[] LONG = new byte[200_000];

    static {
        for (int i = 0; i < LONG.length; i++) {
            LONG[i] = (byte) (i * 31 + i / 999);
        }
    }

    final ScriptedRelay relay = new ScriptedRelay();
    final End end = new End();

    /** Its process's. */
    Platform machine = Platform.REAL;

    RelayEndpoint endpoint;

    /** The relay's end of the rank's connection. */
    Connection line;

    /** What the rank has said on this connection, if {@link #breakLine} has heard it. */
    Hello hello;

    /** The one that {@link #start} has started last. */
    Thread thread;

    OneRank() throws IOException {}

    @AfterEach
    final void closeBothEnds() throws IOException {
        if (line != null) {
            line.close();
        }
        relay.close();
    }

    /** How the rank's process would have ended. */
    static final class End extends ProcessExit {
        final CompletableFuture<String> how = new CompletableFuture<>();

        /** How it ends if nothing else ends it. */
        final CompletableFuture<Integer> later = new CompletableFuture<>();

        volatile String lastWords;

        End() {
            super(0);
        }

        @Override
        void say(String line) {
            lastWords = line;
        }

        @Override
        void lost(String relay, IOException cause) {
            how.complete("lost: " + cause.getMessage());
            throw new AssertionError(cause);
        }

        @Override
        void exitLater(int status, long ms) {
            later.complete(status);
        }

        @Override
        void exit(int status) {
            how.complete("exit " + status);
            throw new AssertionError("exit " + status);
        }
    }

    /** The program does this in a thread of its own. */
    final <T> CompletableFuture<T> start(Callable<T> task) {
        CompletableFuture<T> outcome = new CompletableFuture<>();
        thread = new Thread(() -> {
            try {
                outcome.complete(task.call());
            } catch (Exception | Error e) {
                outcome.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return outcome;
    }

    /** A process of the rank says HELLO on {@link #line}, and hears this. */
    final CompletableFuture<RelayEndpoint> connecting(Hello said, Settings settings, ByteBuffer... answer) throws Exception {
        CompletableFuture<RelayEndpoint> connecting =
                start(() -> RelayEndpoint.connect(machine, relay.address(), Credentials.of(TOKEN), said, settings, end, false));
        line = relay.accept();
        assertThat(Hello.decode(line.hear(FrameType.HELLO))).isEqualTo(said);
        line.say(answer);
        return connecting;
    }

    /** The same, until it is {@link #endpoint}. */
    final void connect(Hello said, Settings settings, ByteBuffer... answer) throws Exception {
        endpoint = connecting(said, settings, answer).get();
    }

    /** Breaks the connection; what the rank says of itself on the next. */
    final List<StatePage.Entry> breakLine() throws Exception {
        line.close();
        line = relay.accept();
        hello = Hello.decode(line.hear(FrameType.HELLO));
        List<StatePage.Entry> entries = new ArrayList<>();
        for (int page = 0; page < hello.pages(); page++) {
            entries.addAll(StatePage.decode(line.hear(FrameType.STATE)).entries());
        }
        return entries;
    }

    /** A WELCOME to a rank of a logged job, and what the relay knows of it. */
    static ByteBuffer[] greeting(int incarnation, long deliveries, StatePage.Entry... known) {
        ByteBuffer welcome = ScriptedRelay.welcome(incarnation, true, deliveries, known.length > 0 ? 1 : 0);
        return known.length == 0
                ? new ByteBuffer[] {welcome}
                : new ByteBuffer[] {welcome, new StatePage(ScriptedRelay.JOB, 0, List.of(known)).encode()};
    }

    /** Events of these kinds, of value 1, after so many failed polls each. */
    static byte[] items(int polls, int... kinds) {
        ByteBuffer items = ByteBuffer.allocate(kinds.length * Wire.EVENT_BYTES);
        for (int kind : kinds) {
            items.putInt(polls).putInt(kind << 24).putLong(1);
        }
        return items.array();
    }

    static ByteBuffer endOfHistory(int... kinds) {
        return ScriptedRelay.events(1, items(0, kinds), 0, FrameView.END);
    }
}
