import { setProjectAnnotations } from '@storybook/react-vite'
import mockmaker from 'mockmaker/storybook/preview'
import preview from './preview.js'

setProjectAnnotations([mockmaker, preview])
