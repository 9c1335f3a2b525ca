package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;
import static org.posthouse.mpj.ScriptedRelay.view;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.mpj.ScriptedRelay.Connection;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Plain;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.SendMode;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.wire.Durability;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;

/** A line leaves a rank's process when the log has what it may follow from. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class PrintGateTest {
    private final ScriptedRelay relay;
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(new PrintGate(printed), true, StandardCharsets.UTF_8);
    private RelayEndpoint endpoint;
    private Connection line;

    PrintGateTest() throws IOException {
        relay = new ScriptedRelay();
    }

    @AfterEach
    void close() throws IOException {
        PrintGate.lift();
        line.close();
        relay.close();
    }

    private void connect(boolean logged) throws Exception {
        connect(logged ? Durability.PROCESS : Durability.NONE);
    }

    private void connect(Durability durability) throws Exception {
        CompletableFuture<RelayEndpoint> connecting = new CompletableFuture<>();
        run(() -> connecting.complete(RelayEndpoint.connect(
                relay.address(), ScriptedRelay.TOKEN, Hello.firstStart(ScriptedRelay.JOB, 0), Settings.DEFAULT, new ProcessExit(0))));
        line = relay.accept();
        line.hear(FrameType.HELLO);
        line.say(ScriptedRelay.welcome(1, durability, 0, 0));
        endpoint = connecting.get();
        PrintGate.hold(endpoint);
    }

    private interface Task {
        void run() throws Exception;
    }

    private static CompletableFuture<Void> run(Task task) {
        CompletableFuture<Void> outcome = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                task.run();
                outcome.complete(null);
            } catch (Exception | Error e) {
                outcome.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return outcome;
    }

    private void observeDone() {
        byte[] bytes = new byte[1];
        Operation sent = endpoint.send(4, 1, 9, Plain.content(Base.BYTE, bytes, 0, 1), SendMode.STANDARD);
        assertThat(endpoint.test(sent)).isTrue();
    }

    private boolean failToObserve() {
        return endpoint.test(endpoint.receive(4, 1, 9, Plain.sink(Base.BYTE, new byte[1], 0, 1)));
    }

    private void receive() throws Exception {
        Operation receive = endpoint.receive(4, 1, 9, Plain.sink(Base.BYTE, new byte[1], 0, 1));
        line.say(ScriptedRelay.delivered(line.hear(FrameType.POST), 1, new byte[1], 1));
        endpoint.await(receive);
    }

    private ByteBuffer hearQuestion(int events, int polls) throws Exception {
        ByteBuffer question = line.hear(FrameType.EVENTS);
        assertThat(view(question).flags()).isEqualTo(FrameView.ACK_NOW);
        assertThat(view(question).events()).isEqualTo(events);
        assertThat(view(question).eventsFailedPolls()).isEqualTo(polls);
        return question;
    }

    @Test
    void outputWithoutObservedEventIsNotDelayed() throws Exception {
        connect(true);
        out.print("one");
        endpoint.send(4, 1, 9, Plain.content(Base.BYTE, new byte[1], 0, 1), SendMode.STANDARD);
        out.print(", two");
        assertThat(printed.toString(StandardCharsets.UTF_8)).isEqualTo("one, two");
        line.hear(FrameType.SEND);
        line.hearNothing();
    }

    @Test
    void lineWaitsForAcknowledgementOfEarlierDeterminants() throws Exception {
        connect(true);
        observeDone();
        CompletableFuture<Void> printing = run(() -> out.print("it is done"));
        line.hear(FrameType.SEND);
        hearQuestion(1, 0);
        line.say(ScriptedRelay.ack(0, 1));
        line.hearNothing();
        assertThat(printed.size()).as("only the message was handled").isZero();
        line.say(ScriptedRelay.ack(0, 2));
        printing.get();
        assertThat(printed.toString(StandardCharsets.UTF_8)).isEqualTo("it is done");
        out.print("; and so?");
        line.hearNothing();
        assertThat(printed.toString(StandardCharsets.UTF_8)).isEqualTo("it is done; and so?");
    }

    @Test
    void aLineWaitsForPollsThatFailedToo() throws Exception {
        connect(true);
        assertThat(failToObserve()).isFalse();
        CompletableFuture<Void> printing = run(() -> out.print("not yet"));
        line.hear(FrameType.POST);
        hearQuestion(0, 1);
        assertThat(printed.size()).isZero();
        line.say(ScriptedRelay.ack(1, 1));
        printing.get();
        assertThat(printed.size()).isEqualTo(7);
    }

    @Test
    void aLineWaitsForNothingBehindAReceiveSinceTheLogHasThat() throws Exception {
        connect(true);
        receive();
        out.print("it has come");
        assertThat(printed.toString(StandardCharsets.UTF_8)).isEqualTo("it has come");
        line.hearNothing();
    }

    /** A host that loses its power may lose the message, and who sent it may send another then. */
    @Test
    void hostDurabilityMakesLineWaitForEarlierReceives() throws Exception {
        connect(Durability.HOST);
        out.print("nothing yet");
        line.hearNothing();
        receive();
        CompletableFuture<Void> printing = run(() -> out.print(", now it has come"));
        hearQuestion(0, 0);
        assertThat(printed.toString(StandardCharsets.UTF_8)).isEqualTo("nothing yet");
        line.say(ScriptedRelay.ack(1, 1));
        printing.get();
        out.print(", and so?");
        line.hearNothing();
        assertThat(printed.toString(StandardCharsets.UTF_8)).isEqualTo("nothing yet, now it has come, and so?");
    }

    @Test
    void lineWaitsThoughItsDeterminantsWereAlreadySent() throws Exception {
        connect(true);
        observeDone();
        observeDone();
        line.hear(FrameType.SEND);
        line.hear(FrameType.EVENTS);
        line.hear(FrameType.SEND);
        CompletableFuture<Void> printing = run(() -> out.print("done"));
        hearQuestion(1, 0);
        assertThat(printed.size()).isZero();
        line.say(ScriptedRelay.ack(4, 4));
        printing.get();
    }

    @Test
    void aBreakWhileALineWaitsAsksAgain() throws Exception {
        connect(true);
        observeDone();
        CompletableFuture<Void> printing = run(() -> out.print("done"));
        line.hear(FrameType.SEND);
        hearQuestion(1, 0);
        line.close();
        line = relay.accept();
        Hello hello = Hello.decode(line.hear(FrameType.HELLO));
        assertThat(hello.kept()).isEqualTo(3);
        for (int page = 0; page < hello.pages(); page++) {
            line.hear(FrameType.STATE);
        }
        line.say(ScriptedRelay.welcome(1, true, 0, 0));
        line.hear(FrameType.SEND);
        hearQuestion(1, 0);
        line.say(ScriptedRelay.ack(2, 2));
        line.say(ScriptedRelay.events(2, new byte[0], 0, FrameView.END));
        line.hear(FrameType.LIVE);
        line.hear(FrameType.POLLS);
        line.hearNothing();
        assertThat(printed.size()).as("the numbers of the connection before").isZero();
        line.say(ScriptedRelay.ack(4, 4));
        printing.get();
        assertThat(printed.size()).isEqualTo(4);
    }

    /** The next process may observe something else, and prints it itself. */
    @Test
    void shutGateDiscardsOutputWaitingForTheLog() throws Exception {
        connect(true);
        observeDone();
        CompletableFuture<Void> printing = run(() -> out.print("it is done"));
        line.hear(FrameType.SEND);
        hearQuestion(1, 0);
        PrintGate.shut();
        line.say(ScriptedRelay.ack(2, 2));
        printing.get();
        assertThat(printed.size()).isZero();
    }

    @Test
    void shutGatePassesOutputOfUnloggedJob() throws Exception {
        connect(false);
        observeDone();
        PrintGate.shut();
        out.print("done");
        assertThat(printed.size()).isEqualTo(4);
    }

    /** Who waits in the gate has the lock of its stream, and may wait for the thread that ends the process. */
    @Test
    void whoeverWaitsInTheGateIsSeenThere() throws Exception {
        connect(true);
        assertThat(PrintGate.isFree()).isTrue();
        observeDone();
        CompletableFuture<Void> printing = run(() -> out.print("it is done"));
        line.hear(FrameType.SEND);
        hearQuestion(1, 0);
        assertThat(PrintGate.isFree()).isFalse();
        line.say(ScriptedRelay.ack(2, 2));
        printing.get();
        assertThat(PrintGate.isFree()).isTrue();
    }

    @Test
    void nothingWaitsInAJobThatIsNotLogged() throws Exception {
        connect(false);
        observeDone();
        assertThat(failToObserve()).isFalse();
        out.print("done");
        assertThat(printed.size()).isEqualTo(4);
        line.hear(FrameType.SEND);
        line.hear(FrameType.POST);
        line.hearNothing();
    }

    @Test
    void nothingWaitsWhenTheRankIsFinalized() throws Exception {
        connect(true);
        observeDone();
        CompletableFuture<Void> closing = run(() -> endpoint.close());
        line.hear(FrameType.SEND);
        line.hear(FrameType.EVENTS);
        line.hear(FrameType.FINALIZE);
        line.say(ScriptedRelay.finalized());
        closing.get();
        out.print("bye");
        assertThat(printed.size()).isEqualTo(3);
    }
}
