package org.posthouse.names;

class MemoryNamesTest extends NameServiceContract {
    private final MemoryNames names = new MemoryNames();

    @Override
    protected NameService names() {
        return names;
    }
}
