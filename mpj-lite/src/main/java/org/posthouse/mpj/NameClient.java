package org.posthouse.mpj;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.posthouse.mpj.determinant.DeterminantLog;
import org.posthouse.mpj.determinant.DeterminantRecorder;
import org.posthouse.mpj.progress.ProgressEngine;
import org.posthouse.mpj.progress.RelayConnection;
import org.posthouse.mpj.progress.WriteReadiness;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.NameAnswer;
import org.posthouse.wire.NameAsk;
import org.posthouse.wire.NameAssembly;
import org.posthouse.wire.NamePage;
import org.posthouse.wire.WireException;

/**
 * Asks the relay's name service, one question at a time. A question that has no answer when the connection ends is repeated on the next. Guarded by the
 * endpoint's lock.
 */
final class NameClient {
    private final RelayConnection line;
    private final ProgressEngine progressEngine;
    private final DeterminantLog determinantLog;
    private final DeterminantRecorder determinantRecorder;
    private final WriteReadiness writeReadiness;
    private final long job;
    private NameAssembly assembly = new NameAssembly(NameAnswer.BYTES_MAX);

    /** The question that waits for its answer; 0 if none does. */
    private long waiting;

    private long lastId;

    /** Whether the question was sent on this connection. */
    private boolean isSent;

    private NameAnswer answer;

    NameClient(RelayConnection line, ProgressEngine progressEngine, DeterminantLog determinantLog, DeterminantRecorder determinantRecorder,
            WriteReadiness writeReadiness, long job) {
        this.line = line;
        this.progressEngine = progressEngine;
        this.determinantLog = determinantLog;
        this.determinantRecorder = determinantRecorder;
        this.writeReadiness = writeReadiness;
        this.job = job;
    }

    /** Asks, and waits for the answer. Others see what is asked for, so all that it may depend on is logged first. */
    NameAnswer ask(NameAsk ask) throws IOException {
        while (waiting != 0) {
            progressEngine.await(); // Another thread's question.
        }
        waiting = ++lastId;
        isSent = false;
        answer = null;
        try {
            progressEngine.blocked(); // No process of the rank has had this answer.
            if (determinantLog.isLogged()) {
                determinantRecorder.awaitTold();
            }
            while (answer == null) {
                if (isSent) {
                    progressEngine.await();
                } else {
                    send(ask);
                }
            }
            return answer;
        } finally {
            waiting = 0;
        }
    }

    private void send(NameAsk ask) throws IOException {
        writeReadiness.await();
        for (ByteBuffer page : NamePage.encode(FrameType.NAME_ASK, job, waiting, ask.encode())) {
            line.write(page);
        }
        isSent = true;
        line.flush();
    }

    void onAnswer(ByteBuffer frame) throws WireException {
        NamePage page = NamePage.decode(frame);
        Optional<ByteBuffer> body = assembly.add(page);
        if (body.isPresent() && page.id() == waiting) {
            answer = NameAnswer.decode(body.get());
        }
    }

    /** Another connection begins. */
    void reconnected() {
        isSent = false;
        assembly = new NameAssembly(NameAnswer.BYTES_MAX);
    }
}
