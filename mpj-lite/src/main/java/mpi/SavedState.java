package mpi;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InvalidObjectException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** The parts that a program has registered to be saved, by name. Confined to its program's thread. */
final class SavedState {
    private final Map<String, SavedPart> parts = new LinkedHashMap<>();

    /** The part that is being written or read, for who has to say what went wrong; null outside of any. */
    private String present;

    /** @return false if there is one of this name */
    boolean tryAdd(String name, SavedPart part) {
        return parts.putIfAbsent(name, part) == null;
    }

    void write(DataOutputStream out) throws IOException {
        out.writeInt(parts.size());
        for (Map.Entry<String, SavedPart> part : parts.entrySet()) {
            present = part.getKey();
            out.writeUTF(present);
            BoundedChunks.Output bytes = new BoundedChunks.Output(out);
            part.getValue().write(present, new DataOutputStream(bytes));
            bytes.end();
        }
        present = null;
    }

    void read(DataInputStream image) throws IOException {
        Set<String> missing = new LinkedHashSet<>(parts.keySet());
        for (int left = image.readInt(); left > 0; left--) {
            present = image.readUTF();
            SavedPart part = parts.get(present);
            if (part == null) {
                throw new InvalidObjectException("it was saved, and is not registered: " + parts.keySet());
            }
            BoundedChunks.Input bytes = new BoundedChunks.Input(image);
            part.read(present, new DataInputStream(bytes));
            bytes.end();
            missing.remove(present);
        }
        present = null;
        if (!missing.isEmpty()) {
            throw new InvalidObjectException("it was saved without what is registered as " + missing);
        }
    }

    /** The failure in one line, with the part, the cause, and the place in the program. */
    String failure(Throwable cause) {
        StringBuilder line = new StringBuilder(present == null ? "its state" : "\"" + present + "\"");
        line.append(": ").append(cause.toString().replaceAll("\\s*\\R\\s*", " "));
        for (StackTraceElement frame : cause.getStackTrace()) {
            if (isOfProgram(frame.getClassName())) {
                return line.append(", at ").append(frame).toString();
            }
        }
        return line.toString();
    }

    private static boolean isOfProgram(String className) {
        return !className.startsWith("java.")
                && !className.startsWith("jdk.")
                && !className.startsWith("sun.")
                && !className.startsWith("mpi.")
                && !className.startsWith("org.posthouse.mpj.");
    }
}
