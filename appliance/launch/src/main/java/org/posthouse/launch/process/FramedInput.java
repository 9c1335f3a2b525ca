package org.posthouse.launch.process;

import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.posthouse.launch.folder.InputSink;
import org.posthouse.mpj.checkpoint.ProgramInput;

/** The standard input of a process on this host, in pieces, each behind its length ({@link ProgramInput}). */
final class FramedInput implements InputSink {
    private final DataOutputStream to;

    FramedInput(OutputStream to) {
        this.to = new DataOutputStream(to);
    }

    @Override
    public long position() {
        return 0;
    }

    @Override
    public void write(byte[] piece, int count) throws IOException {
        to.writeInt(count);
        to.write(piece, 0, count);
        to.flush();
    }
}
