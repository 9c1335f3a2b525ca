package org.posthouse.bench.names;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.posthouse.names.MemoryNames;
import org.posthouse.names.NameService;
import org.posthouse.wan.WanShape;

/** One table in memory that all front ends ask. */
final class MemoryGroup implements NamesGroup {
    private final List<DelayedNames> frontEnds;

    MemoryGroup(Path folder, WanShape way) {
        MemoryNames names = new MemoryNames();
        frontEnds = Stream.generate(() -> new DelayedNames(names, way)).limit(FRONT_ENDS).toList();
    }

    @Override
    public String label() {
        return "one process";
    }

    @Override
    public NameService frontEnd(int index) {
        return frontEnds.get(index);
    }

    @Override
    public void close() {
        frontEnds.forEach(DelayedNames::close);
    }
}
