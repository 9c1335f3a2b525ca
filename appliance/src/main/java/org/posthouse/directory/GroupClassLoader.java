package org.posthouse.directory;

import java.lang.StackWalker.StackFrame;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Decides which classes Hazelcast may create by a name. Other members send such names: Hazelcast's DataSerializable and compact formats, and configurations of
 * maps, create an object of whatever class they name, by its constructor, before they look at its type (ADR 107). Thread-safe.
 *
 * <p>Three classes of events and the merge policies of our maps are all that members have to name. What Hazelcast's service loader names is read from the class
 * path. All else is refused with a {@link SecurityException}: after a ClassNotFoundException, Hazelcast would ask the thread's class loader instead.
 */
final class GroupClassLoader extends ClassLoader {
    private static final String EVENTS = "com.hazelcast.map.impl.event.";

    /** Hazelcast looks whether there is JCache; there is none. */
    private static final String JCACHE = "javax.cache.Caching";

    private static final Set<String> NAMED = Set.of(EVENTS + "EntryEventData", EVENTS + "MapEventData", EVENTS + "MapPartitionEventData", JCACHE);

    private static final String SERVICES = "com.hazelcast.internal.util.ServiceLoader$ClassIterator";
    private static final String LOADING = "com.hazelcast.internal.nio.ClassLoaderUtil";
    private static final int NAME_CHARS_MAX = 200;

    private final Set<String> policies;
    private final Consumer<String> onRefused;

    /**
     * @param policies names of the merge policies of our maps
     * @param onRefused receives the cause for each refusal; called by any thread
     */
    GroupClassLoader(Set<String> policies, Consumer<String> onRefused) {
        super("posthouse-group", GroupClassLoader.class.getClassLoader());
        this.policies = policies;
        this.onRefused = onRefused;
    }

    @Override
    public Class<?> loadClass(String name) throws ClassNotFoundException {
        if (NAMED.contains(name) || policies.contains(name) || isService()) {
            return super.loadClass(name);
        }
        String why = "class " + name.substring(0, Math.min(name.length(), NAME_CHARS_MAX)) + " is none that members of the group name";
        onRefused.accept(why);
        throw new SecurityException(why);
    }

    private static boolean isService() {
        return StackWalker.getInstance().walk(frames -> frames
                .map(StackFrame::getClassName)
                .filter(caller -> !caller.equals(GroupClassLoader.class.getName()) && !caller.startsWith(LOADING))
                .findFirst()
                .filter(SERVICES::equals)
                .isPresent());
    }
}
