package mpi;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Hints for calls, as pairs of texts, in the order in which their keys were first set. No call here needs any, and none
 * of them changes what a call does. Safe for use by several threads.
 */
public final class Info implements Freeable, Cloneable {
    private final Map<String, String> values;
    private boolean freed;

    /** Without hints. */
    public Info() throws MPIException {
        this(new LinkedHashMap<>());
    }

    private Info(Map<String, String> values) {
        this.values = values;
    }

    /** One that was freed before anybody saw it: INFO_NULL. */
    static Info freed() {
        Info none = new Info();
        none.freed = true;
        return none;
    }

    /** Sets what MPI's INFO_ENV tells of a process. @param program the main class and the arguments; empty if nobody knows */
    synchronized void environment(List<String> program, int processes, String threadLevel) {
        if (!program.isEmpty()) {
            put("command", program.get(0));
            put("argv", String.join(" ", program.subList(1, program.size())));
        }
        put("maxprocs", Integer.toString(processes));
        put("arch", System.getProperty("os.arch"));
        put("wdir", System.getProperty("user.dir"));
        put("thread_level", threadLevel);
    }

    /** Cuts what is longer than a value may be. */
    private void put(String key, String value) {
        values.put(key, value.length() < MPI.MAX_INFO_VAL ? value : value.substring(0, MPI.MAX_INFO_VAL - 1));
    }

    /** Sets a hint, in place of one that the key had. */
    public synchronized void set(String key, String value) throws MPIException {
        requireKey("set", key);
        if (value == null || value.length() >= MPI.MAX_INFO_VAL) {
            String actual = value == null ? "null" : value.length() + " characters";
            throw error(MPI.ERR_INFO_VALUE, "set", "the value of key " + key + " is " + actual + ", expected fewer than "
                    + MPI.MAX_INFO_VAL);
        }
        values.put(key, value);
    }

    /** The value of a key; null if it has none. */
    public synchronized String get(String key) throws MPIException {
        requireKey("get", key);
        return values.get(key);
    }

    /** Takes a hint out. */
    public synchronized void delete(String key) throws MPIException {
        requireKey("delete", key);
        if (values.remove(key) == null) {
            throw error(MPI.ERR_INFO_NOKEY, "delete", "there is no key " + key + " among " + values.keySet());
        }
    }

    /** The number of hints. */
    public synchronized int size() throws MPIException {
        requireLive("size");
        return values.size();
    }

    /** The key of hint {@code i}, from 0. */
    public synchronized String getKey(int i) throws MPIException {
        requireLive("getKey");
        if (i < 0 || i >= values.size()) {
            throw error(MPI.ERR_ARG, "getKey", "index is " + i + ", expected 0 to " + (values.size() - 1));
        }
        return values.keySet().stream().skip(i).findFirst().orElseThrow();
    }

    /** The same hints in an object of its own. */
    public synchronized Info dup() throws MPIException {
        requireLive("dup");
        return new Info(new LinkedHashMap<>(values));
    }

    /** As {@link #dup}. */
    @Override
    @SuppressWarnings("MethodDoesntCallSuperMethod") // A final class; its map must not be shared.
    public Info clone() {
        return dup();
    }

    /** Gives the object back. */
    @Override
    public synchronized void free() throws MPIException {
        requireLive("free");
        freed = true;
    }

    /** Whether the object was given back. */
    public synchronized boolean isNull() {
        return freed;
    }

    private void requireLive(String call) {
        if (freed) {
            throw error(MPI.ERR_INFO, call, "the Info was freed");
        }
    }

    private void requireKey(String call, String key) {
        requireLive(call);
        if (key == null || key.isEmpty() || key.length() >= MPI.MAX_INFO_KEY) {
            String actual = key == null ? "null" : key.length() + " characters";
            throw error(MPI.ERR_INFO_KEY, call, "the key is " + actual + ", expected 1 to " + (MPI.MAX_INFO_KEY - 1));
        }
    }

    private static MPIException error(int errorClass, String call, String what) {
        return new MPIException(errorClass, "Info." + call + ": " + what);
    }
}
