package org.posthouse.ops;

import java.util.List;

/** An audit log as lines of a list, which must be safe for threads. */
record RecordingAudit(List<String> lines) implements ConsoleAudit {
    @Override
    public void ordered(String who, String what) {
        lines.add("ordered: " + who + ": " + what);
    }

    @Override
    public void entered(String who, String what) {
        lines.add("entered: " + who + ": " + what);
    }

    @Override
    public void refused(String who, String what) {
        lines.add("refused: " + who + ": " + what);
    }
}
