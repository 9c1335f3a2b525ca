package org.posthouse.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.posthouse.wire.Challenge;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.Identify;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobKept;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.MutualProof;
import org.posthouse.wire.Nonce;
import org.posthouse.wire.Token;
import org.posthouse.wire.Welcome;
import org.posthouse.wire.Wire;

/** A relay without ranks, that tells one launcher what the test says. */
public final class ToldRelay implements AutoCloseable {
    private static final int ANSWER_MS = 60_000;

    private final ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    private Socket launcher;
    private DataInputStream in;
    private Identify client;
    private Challenge challenge;
    private long job;

    public ToldRelay() throws IOException {
        server.setSoTimeout(ANSWER_MS);
    }

    public String address() {
        return server.getInetAddress().getHostAddress() + ":" + server.getLocalPort();
    }

    /** Ends the launcher's connection, as a relay's death does. */
    public void lose() throws IOException {
        launcher.close();
    }

    /** Does not take the launcher's job. */
    public void refuse(CloseReason why) throws Exception {
        hearOpening();
        say(CloseNotice.closing(job, why, "not here").encode(FrameType.CLOSE));
    }

    /** Takes the launcher's connection. */
    public void greet() throws Exception {
        greet(List.of(new HomeRelay("here", "here", address())));
    }

    /** Takes the launcher's connection and says nothing. */
    public void meet() throws IOException {
        launcher = server.accept();
        launcher.setSoTimeout(ANSWER_MS);
    }

    /** Takes the launcher's connection, and refuses it at once. */
    public void turnAway(CloseReason why) throws IOException {
        meet();
        say(CloseNotice.closing(0, why, "not now").encode(FrameType.CLOSE));
    }

    /** @param homes what it tells of, itself first */
    public void greet(List<HomeRelay> homes) throws Exception {
        meet();
        in = new DataInputStream(launcher.getInputStream());
        client = Identify.decode(hear(FrameType.IDENTIFY));
        challenge = Challenge.of(Token.NONE, client, Nonce.random(), Optional.of((InetSocketAddress) launcher.getLocalSocketAddress()));
        say(challenge.encode());
        hear(FrameType.PROOF);
        hear(FrameType.HELLO);
        say(Welcome.launcher(homes, new int[homes.size()]).encode());
    }

    /** Opens the launcher's job. */
    public JobOpen open() throws Exception {
        JobOpen opening = hearOpening();
        ByteBuffer opened = ByteBuffer.allocate(Wire.HEADER_BYTES);
        new FrameView().wrap(opened, 0).begin(FrameType.JOB_OPENED, Wire.HEADER_BYTES, job).length(opened.limit());
        say(opened);
        return opening;
    }

    /** Hears of the launcher's job, and says nothing. */
    public JobOpen hearOpening() throws Exception {
        JobOpen opening = JobOpen.decode(hear(FrameType.JOB_OPEN));
        job = opening.job();
        return opening.with(MutualProof.sealed(opening.token(), Token.NONE, client, challenge));
    }

    /** Tells what became of a rank. */
    public void tell(int kind, int... ranks) throws IOException {
        for (int rank : ranks) {
            say(new JobEvent(job, kind, rank, 0, "so says the relay").encode());
        }
    }

    /** Hears that the job is to end, and ends it. */
    public CloseNotice closeJob() throws Exception {
        CloseNotice why = hearEnd();
        endJob();
        return why;
    }

    public CloseNotice hearEnd() throws Exception {
        CloseNotice why = CloseNotice.decode(hear(FrameType.JOB_CLOSE));
        assertThat(why.job()).isEqualTo(job);
        return why;
    }

    public void endJob() throws IOException {
        say(new JobEvent(job, JobEvent.CLOSED, -1, 0, "").encode());
    }

    private void say(ByteBuffer frame) throws IOException {
        byte[] bytes = new byte[frame.remaining()];
        frame.get(bytes);
        launcher.getOutputStream().write(bytes);
    }

    /** Hears that a rank is done, or has printed what its image waits for. */
    public JobKept kept() throws Exception {
        return JobKept.decode(hear(FrameType.JOB_KEPT));
    }

    /** The next frame of this type; that ranks are done comes whenever there is nothing else to do, and what the console shows too. */
    private ByteBuffer hear(FrameType type) throws Exception {
        ByteBuffer frame = hear();
        FrameView view = new FrameView().wrap(frame, 0);
        while (view.type() == FrameType.JOB_REPORT || view.type() == FrameType.JOB_KEPT && type != FrameType.JOB_KEPT) {
            frame = hear();
            view.wrap(frame, 0);
        }
        assertThat(view.type()).isSameAs(type);
        return frame;
    }

    private ByteBuffer hear() throws Exception {
        int length = in.readInt();
        ByteBuffer frame = ByteBuffer.allocate(length).putInt(length);
        in.readFully(frame.array(), Integer.BYTES, length - Integer.BYTES);
        frame.rewind();
        FrameView view = new FrameView().wrap(frame, 0);
        assertThat(view.checkHeader(length)).isEqualTo(length);
        return frame;
    }

    @Override
    public void close() throws IOException {
        if (launcher != null) {
            launcher.close();
        }
        server.close();
    }
}
